import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  indexVocabulary,
  type QuestionVocabulary,
  type VocabularyIndex,
} from "@turnpike/domain/questions/question-vocabulary";
import { readQuestion } from "@turnpike/domain/questions/read-question";
import { generateQuestions } from "./ask/generate-questions.ts";
import { type LabelledQuestion, parseQuestions } from "./ask/parse-questions.ts";
import { QUESTION_SETS } from "./ask/question-sets.ts";
import { type Score, scoreReading } from "./ask/score-reading.ts";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { round } from "./rig/statistics.ts";

const NOW_MS = Date.parse("2026-07-15T12:00:00Z");
const FOLDER = join(import.meta.dirname, "ask");

type Tally = Record<Score, number>;
type Scored = { set: string; group: string; score: Score };

const GENERATED = "generated";
const newTally = (): Tally => ({ exact: 0, cautious: 0, wrong: 0 });
const countOf = ({ exact, cautious, wrong }: Tally) => exact + cautious + wrong;
const share = (part: number, whole: number) => round((100 * part) / whole);

async function readSet(set: string): Promise<{ set: string; questions: LabelledQuestion[] }> {
  const text = await readFile(join(FOLDER, `${set}.txt`), "utf8");
  return { set, questions: parseQuestions(text) };
}

function scoreAll(
  indexes: { operator: VocabularyIndex; tenant: VocabularyIndex },
  { set, questions }: { set: string; questions: readonly LabelledQuestion[] },
): Scored[] {
  return questions.map(({ group, question, after, expected }) => {
    const index = group === "tenant" ? indexes.tenant : indexes.operator;
    const reading = readQuestion(index, { question, after, nowMs: NOW_MS });
    return { set, group, score: scoreReading(expected, reading) };
  });
}

/** Processor time in milliseconds: that of the clock says more about what else the machine does. */
function measure(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function tally(scored: readonly Scored[]): Tally {
  const counts = newTally();
  for (const { score } of scored) {
    counts[score] += 1;
  }
  return counts;
}

function toRow(group: string, scored: readonly Scored[]) {
  const isGenerated = ({ set }: Scored) => set === GENERATED;
  const cell = (counts: Tally) =>
    countOf(counts) === 0 ? "" : `${String(counts.exact)} of ${String(countOf(counts))}`;
  const all = tally(scored);
  return {
    class: group,
    "exact, by hand": cell(tally(scored.filter((one) => !isGenerated(one)))),
    "exact, generated": cell(tally(scored.filter(isGenerated))),
    cautious: all.cautious,
    wrong: all.wrong,
  };
}

async function run({ note }: BenchOptions): Promise<BenchResult> {
  const text = await readFile(join(FOLDER, "vocabulary.json"), "utf8");
  const vocabulary = JSON.parse(text) as QuestionVocabulary;
  const indexes = {
    operator: indexVocabulary(vocabulary),
    tenant: indexVocabulary({ ...vocabulary, actor: "tenant" }),
  };
  note("reading questions");
  const generated = { set: GENERATED, questions: generateQuestions() };
  const sets = [...(await Promise.all(QUESTION_SETS.map(({ set }) => readSet(set)))), generated];
  const firstMs = measure(() =>
    scoreAll(indexes, { set: "first", questions: generated.questions.slice(0, 1) }),
  );
  let scored: Scored[] = [];
  const allMs = measure(() => {
    scored = sets.flatMap((set) => scoreAll(indexes, set));
  });
  const meanMs = round(allMs / scored.length);
  const groups = [...new Set(scored.map(({ group }) => group))];
  const byHand = tally(scored.filter(({ set }) => set !== GENERATED));
  const first = QUESTION_SETS.map(
    ({ set, questions, exact, wrong }) =>
      `${set} ${String(exact)} of ${String(questions)} (${String(share(exact, questions))}%), ${String(wrong)} wrongly`,
  );
  return {
    table: groups.map((group) =>
      toRow(
        group,
        scored.filter((one) => one.group === group),
      ),
    ),
    ratios: {
      exactByHand: round(byHand.exact / countOf(byHand)),
      wrongByHand: round(byHand.wrong / countOf(byHand)),
    },
    figures: { meanMs, firstMs: round(firstMs) },
    remarks: [
      `Of ${String(countOf(byHand))} questions written by hand ${String(share(byHand.exact, countOf(byHand)))}% are read exactly and ${String(share(byHand.wrong, countOf(byHand)))}% wrongly, after what their first reading showed was fixed.`,
      `Read for the first time: ${first.join("; ")}.`,
      `A question took ${String(meanMs)} ms of processor time on average; the first, which compiles the patterns, ${String(round(firstMs))} ms.`,
    ],
  };
}

export const askBench: Bench = {
  name: "ask",
  summary: "Questions in plain words read exactly, cautiously and wrongly, by class.",
  defaults: { seconds: 1, rounds: 1 },
  run,
};
