import { readFile } from "node:fs/promises";
import { indexVocabulary } from "@turnpike/domain/questions/question-vocabulary";
import { QUESTION_LENGTH_MAX, readQuestion } from "@turnpike/domain/questions/read-question";
import { isTimeZone } from "@turnpike/domain/time/zoned-buckets";
import { z } from "zod";
import { answerJsonLines } from "./answer-json-lines.ts";
import { type Cli, examples } from "./cli.ts";
import { toInputFileError } from "./input-file-error.ts";

/** A vocabulary that takes more than a moment to search for the nearest name. */
const VALUES_MAX = 10_000;
const NAME_LENGTH_MAX = 200;

const names = z.array(z.string().min(1).max(NAME_LENGTH_MAX)).max(VALUES_MAX).default([]);
const day = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

const vocabularyFile = z.object({
  actor: z.enum(["operator", "tenant"]),
  timeZone: z
    .string()
    .refine(isTimeZone, "Not a name of the IANA time zone database.")
    .default("UTC"),
  billingPeriod: z.object({ from: day, to: day }),
  tenants: names,
  keys: names,
  plans: names,
  routes: names,
  methods: names,
  regions: names,
  environments: names,
  meters: z
    .array(z.object({ slug: z.string().min(1), unit: z.string().default(""), dimensions: names }))
    .default([]),
  meterValues: z.record(z.string(), names).default({}),
});

const asked = z.object({
  id: z.union([z.string(), z.number()]),
  question: z.string(),
  now: z.iso.datetime({ offset: true }),
  after: z.string().optional(),
});

/** @throws {InputFileError} when the file is no vocabulary. */
async function readVocabulary(cli: Cli, name: string) {
  const path = cli.toPath(name);
  const text = await readFile(path, "utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw toInputFileError(path, [{ pointer: "line 1", message: "Not JSON." }]);
  }
  const read = vocabularyFile.safeParse(value);
  if (!read.success) {
    const mistakes = read.error.issues.map(({ path: at, message }) => ({
      pointer: `/${at.map(String).join("/")}`,
      message,
    }));
    throw toInputFileError(path, mistakes);
  }
  return indexVocabulary(read.data);
}

/** `turnpike ask`: reads questions in plain words as typed queries, without an installation. */
export function addAskCommand(cli: Cli): void {
  cli.program
    .command("ask")
    .description("read questions in plain words as typed queries")
    .requiredOption("--jsonl <file>", "one question as JSON on each line, or - for standard input")
    .requiredOption("--vocabulary <file>", "what questions may name, as JSON")
    .addHelpText(
      "after",
      `
A line is {"id", "question", "now": "2026-07-15T12:00:00Z", "after": the question before it, if any}. The answer is {"id", "kind",
"query", "assumed", "choices"}: kind is query, explain, forecast, quota, invoice, advice, risk, clarify or refuse; the first three
carry a query. A question has at most ${String(QUESTION_LENGTH_MAX)} characters. It needs no database, and nothing is written.
${examples("ask --jsonl questions.jsonl --vocabulary vocabulary.json", "ask --jsonl - --vocabulary vocabulary.json")}`,
    )
    .action(async ({ jsonl, vocabulary }) => {
      const index = await readVocabulary(cli, vocabulary);
      await answerJsonLines(cli, {
        name: jsonl,
        answer: (value) => {
          const { id, question, now, after } = asked.parse(value);
          const reading = readQuestion(index, { question, nowMs: Date.parse(now), after });
          return JSON.stringify({ id, ...reading });
        },
      });
    });
}
