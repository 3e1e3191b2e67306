import { readFile } from "node:fs/promises";
import { signedInUser } from "@turnpike/contract/auth";
import {
  type Answer,
  type AnswerRow,
  type QuestionReply,
  questionInput,
  questionReply,
} from "@turnpike/contract/questions";
import { QUESTION_LENGTH_MAX } from "@turnpike/domain/questions/question-limits";
import { indexVocabulary } from "@turnpike/domain/questions/question-vocabulary";
import { readQuestion } from "@turnpike/domain/questions/read-question";
import { isTimeZone } from "@turnpike/domain/time/zoned-buckets";
import { z } from "zod";
import {
  askQuestion,
  createForecasterHere,
  createVocabularyCache,
  formatCell,
} from "#modules/intelligence/index.ts";
import { getTenantByName } from "#modules/tenants/index.ts";
import { answerJsonLines } from "./answer-json-lines.ts";
import { type Cli, examples } from "./cli.ts";
import { toInputFileError } from "./input-file-error.ts";
import { parseInput } from "./parse-input.ts";
import { toTable } from "./print.ts";
import { TENANT_TEXT } from "./tenants-commands.ts";
import { toBillingDeps } from "./to-billing-deps.ts";
import { UsageError } from "./usage-error.ts";

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

const WHOAMI = { method: "GET", path: "/v1/me" } as const;
const TIME_SHOWN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

/** Rows under their measures, as people read them. */
function toRows({ measures, dimensions, grain, rows, names }: Answer, timeZone: string): string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    ...(grain === "minute" || grain === "hour" ? { timeStyle: "short" as const } : {}),
  });
  const times = rows.some(({ time }) => time !== null && TIME_SHOWN.test(time))
    ? [
        {
          header: (grain ?? "time").toUpperCase(),
          value: ({ time }: AnswerRow) => (time === null ? "" : format.format(new Date(time))),
        },
      ]
    : [];
  const isCompared = rows.some(({ before }) => before !== null);
  return toTable(
    rows,
    [
      ...times,
      ...dimensions.map((dimension) => ({
        header: dimension.toUpperCase(),
        value: ({ group }: AnswerRow) => {
          const value = group[dimension] ?? "";
          return value === "" ? "-" : (names[value] ?? value);
        },
      })),
      ...measures.flatMap((measure) => [
        {
          header: measure.title.toUpperCase(),
          value: ({ values }: AnswerRow) => formatCell(measure, values[measure.name]),
          align: "right" as const,
        },
        ...(isCompared
          ? [
              {
                header: "BEFORE",
                value: ({ before }: AnswerRow) => formatCell(measure, before?.[measure.name]),
                align: "right" as const,
              },
            ]
          : []),
      ]),
    ],
    "",
  );
}

/** The sentence, then the rows where there are several, what was assumed, and ways to go on. */
function toReplyText({ sentence, answer, assumed, choices, timeZone }: QuestionReply): string {
  const isTable = answer !== null && (answer.dimensions.length > 0 || answer.rows.length > 1);
  return [
    sentence,
    ...(isTable && answer.rows.length > 0 ? ["", toRows(answer, timeZone)] : []),
    ...(assumed.length > 0 ? ["", `Assumed: ${assumed.join("; ")}.`] : []),
    ...(choices.length > 0 ? ["", ...choices.map((choice) => `  ${choice}`)] : []),
  ].join("\n");
}

type AskOptions = {
  jsonl?: string | undefined;
  vocabulary?: string | undefined;
  tenant?: string | undefined;
  after: string[];
  timeZone: string;
};

async function readFileOfQuestions(cli: Cli, { jsonl, vocabulary }: AskOptions): Promise<void> {
  if (jsonl === undefined || vocabulary === undefined) {
    throw new UsageError("give a question, or --jsonl and --vocabulary");
  }
  const index = await readVocabulary(cli, vocabulary);
  await answerJsonLines(cli, {
    name: jsonl,
    answer: (value) => {
      const { id, question, now, after } = asked.parse(value);
      const reading = readQuestion(index, { question, nowMs: Date.parse(now), after });
      return JSON.stringify({ id, ...reading });
    },
  });
}

async function answerQuestion(cli: Cli, question: string, options: AskOptions): Promise<void> {
  const { tenant, after, timeZone } = options;
  const input = parseInput(questionInput, { question, after, timeZone });
  await cli.runAnywhere({
    here: async (session) => {
      const deps = {
        ...toBillingDeps(session),
        forecaster: createForecasterHere(),
        vocabularies: createVocabularyCache(),
      };
      const of =
        tenant === undefined
          ? null
          : await getTenantByName(deps, session.context, { idOrSlug: tenant });
      return await askQuestion(deps, session.context, { ...input, tenantId: of?.tenantId ?? null });
    },
    there: async (api) => {
      // Only operators see all tenants; everyone else asks about their only one.
      const isOfAll = tenant === undefined && (await api.call(WHOAMI, signedInUser)).isOperator;
      const of = tenant === undefined ? api.getOnlyTenant : () => api.getTenant(tenant);
      const path = isOfAll ? "/v1/questions" : `/v1/tenants/${(await of()).tenantId}/questions`;
      return await api.call({ method: "POST", path, body: input }, questionReply);
    },
    toText: toReplyText,
  });
}

/** `turnpike ask`: answers a question about the installation, or reads many as typed queries without one. */
export function addAskCommand(cli: Cli): void {
  cli.program
    .command("ask")
    .description("ask about usage and money in plain English, or read questions as typed queries")
    .argument("[question]", 'a question, such as "errors by route yesterday"')
    .option("--tenant <tenant>", `${TENANT_TEXT}; left out, all tenants`)
    .option(
      "--after <question>",
      "a question before, which this one goes on from; may be repeated",
      (text: string, all: string[]) => [...all, text],
      [] as string[],
    )
    .option("--time-zone <name>", "in which days begin", "UTC")
    .option("--jsonl <file>", "instead: one question as JSON on each line, or - for standard input")
    .option("--vocabulary <file>", "what the questions of --jsonl may name, as JSON")
    .addHelpText(
      "after",
      `
A line of --jsonl is {"id", "question", "now": "2026-07-15T12:00:00Z", "after": the question before it, if any}. The answer is {"id",
"kind", "query", "assumed", "choices"}: kind is query, explain, forecast, quota, invoice, advice, risk, clarify or refuse; the first
three carry a query. It needs no database, and nothing is written. A question has at most ${String(QUESTION_LENGTH_MAX)} characters.
${examples('ask "errors by route yesterday" --tenant blue-heron-maps', 'ask --at https://console.example.com "which keys are unused?"', "ask --jsonl questions.jsonl --vocabulary vocabulary.json")}`,
    )
    .action(async (question, options) => {
      await (question === undefined
        ? readFileOfQuestions(cli, options)
        : answerQuestion(cli, question, options));
    });
}
