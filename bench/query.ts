import type { Sql } from "@turnpike/db/client";
import { HOUR_MS, MINUTE_MS } from "@turnpike/domain/time/zoned-buckets";
import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { createCustomers } from "./rig/customers.ts";
import { callJson, makeProductHome, type Product, startProduct } from "./rig/product.ts";
import { connectToProduct } from "./rig/product-database.ts";
import {
  assertSameLatencies,
  RAW_QUESTIONS,
  type ReportRow,
  reportToComparable,
  toComparable,
} from "./rig/raw-answers.ts";
import {
  listScreenQuestions,
  type ScreenQuestion,
  toQuestionPath,
} from "./rig/screen-questions.ts";
import {
  CALLS_PER_SECOND,
  SEEDED_DAYS,
  seedCalls,
  seedRollups,
  type UsageSeed,
} from "./rig/seed-usage.ts";
import { median, medianRatio, percentile, round } from "./rig/statistics.ts";

const TENANTS = 1_000;
const GROWTH = 10;
const KEYS = 2;
/** Away from the full hour, as the end of a range mostly is: then an hour at each end is read by the minute. */
const BEFORE_THE_HOUR_MS = 23 * MINUTE_MS;

/** A running product, filled. */
type Candidate = {
  name: "base" | "grown";
  product: Product;
  sql: Sql;
  credential: string;
  tenantId: string;
  /** Their ids differ from product to product. */
  keyIds: readonly string[];
  rows: { minutes: number; hours: number };
  /** Milliseconds of each answer, by round. */
  timesMs: number[][];
  close(): Promise<void>;
};

async function openCandidate(
  name: Candidate["name"],
  seed: Pick<UsageSeed, "tenants" | "olderHistories" | "routesOfOthers" | "endMs">,
  options: BenchOptions,
): Promise<Candidate> {
  const home = await makeProductHome();
  const product = await startProduct(home, { core: "any" }).catch(async (error: unknown) => {
    await home.remove();
    throw error;
  });
  const sql = await connectToProduct(home, { statementTimeoutMs: 0 });
  const close = async () => {
    await sql.end({ timeout: 5 });
    await product.stop();
    await home.remove();
  };
  try {
    const customers = await createCustomers(product, { tenants: 1, keys: KEYS });
    const [tenantId = ""] = customers.tenantIds;
    const keyIds = customers.keys.map(({ keyId }) => keyId);
    const note = (text: string) => options.note(`${name}: ${text}`);
    note("writing calls");
    await seedCalls(sql, { ...seed, tenantId, keyIds, note });
    note("summing them, and those of the others");
    const rows = await seedRollups(sql, { ...seed, tenantId, keyIds, note });
    if (name === "grown") {
      await sql`drop table bench_calls`;
    } else {
      await sql`vacuum (analyze) bench_calls`;
    }
    await sql`checkpoint`;
    const credential = customers.serviceKey;
    return { name, product, sql, credential, tenantId, keyIds, rows, timesMs: [], close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Answer = { text: string; ms: number };

async function ask(candidate: Candidate, question: ScreenQuestion): Promise<Answer> {
  const { product, tenantId, credential } = candidate;
  const startedAtMs = performance.now();
  const answer = await callJson(product.port, {
    method: "GET",
    path: toQuestionPath(tenantId, question),
    credential,
  });
  const ms = performance.now() - startedAtMs;
  const text = candidate.keyIds.reduce(
    (masked, keyId, index) => masked.replaceAll(keyId, `key ${String(index)}`),
    JSON.stringify(answer),
  );
  return { text, ms };
}

function readRows(text: string): ReportRow[] {
  const report: { rows: ReportRow[] } = JSON.parse(text);
  return report.rows;
}

type RawTimes = { oursMs: number; rawMs: number };

/** What questions cost from the calls themselves, and by us. @throws when the answers differ. */
async function askRaw(
  candidate: Candidate,
  questions: readonly ScreenQuestion[],
): Promise<RawTimes[]> {
  const times: RawTimes[] = [];
  for (const raw of RAW_QUESTIONS) {
    const question = questions.find(({ name }) => name === raw.name);
    if (question === undefined) {
      throw new Error(`There is no question ${raw.name}.`);
    }
    const { tenantId, sql } = candidate;
    const fromMs = Date.parse(question.parameters["from"] ?? "");
    const toMs = Date.parse(question.parameters["to"] ?? "");
    const startedAtMs = performance.now();
    const rows = await raw.ask(sql, { tenantId, fromMs, toMs });
    if (question.parameters["compare"] !== undefined) {
      await raw.ask(sql, { tenantId, fromMs: 2 * fromMs - toMs, toMs: fromMs });
    }
    const rawMs = performance.now() - startedAtMs;
    const ours = await ask(candidate, question);
    times.push({ oursMs: ours.ms, rawMs });
    const report = readRows(ours.text);
    assertSameLatencies(rows, report);
    const [one, other] = [toComparable(rows), reportToComparable(report)];
    if (one !== other) {
      throw new Error(`The calls say otherwise about ${raw.name}:\n${one}\n\n${other}`);
    }
  }
  return times;
}

/** One round: each candidate answers every question once, in alternating order. @throws when their answers differ. */
async function askAll(
  candidates: readonly [Candidate, Candidate],
  questions: readonly ScreenQuestion[],
  turn: number,
): Promise<void> {
  for (const candidate of candidates) {
    candidate.timesMs.push([]);
  }
  for (const [index, question] of questions.entries()) {
    const order = (turn + index) % 2 === 0 ? candidates : candidates.toReversed();
    const texts = new Set<string>();
    for (const candidate of order) {
      const { text, ms } = await ask(candidate, question);
      texts.add(text);
      candidate.timesMs.at(-1)?.push(ms);
    }
    if (texts.size > 1) {
      throw new Error(`The two answer ${question.name} differently.`);
    }
  }
}

/** Rounds of one number each would make its p95 a matter of luck. */
const ROUNDS_AT_ONCE = 5;

async function compare(
  candidates: readonly [Candidate, Candidate],
  questions: readonly ScreenQuestion[],
  options: BenchOptions,
): Promise<BenchResult> {
  const [base, grown] = candidates;
  options.note("warming up");
  for (let turn = 0; turn < 3; turn += 1) {
    await askAll(candidates, questions, turn);
  }
  for (const candidate of candidates) {
    candidate.timesMs = [];
  }
  const raw: RawTimes[][] = [];
  await askRaw(base, questions);
  for (let turn = 0; turn < options.rounds; turn += 1) {
    options.note(`round ${String(turn + 1)} of ${String(options.rounds)}`);
    for (let again = 0; again < ROUNDS_AT_ONCE; again += 1) {
      await askAll(candidates, questions, turn + again);
    }
    raw.push(await askRaw(base, questions));
  }
  const p95s = ({ timesMs }: Candidate) =>
    Array.from({ length: options.rounds }, (_, turn) =>
      percentile(timesMs.slice(turn * ROUNDS_AT_ONCE, (turn + 1) * ROUNDS_AT_ONCE).flat(), 0.95),
    );
  const row = (candidate: Candidate, what: string) => {
    const all = candidate.timesMs.flat();
    return {
      what,
      "rollups of minutes": candidate.rows.minutes,
      "of hours": candidate.rows.hours,
      "p50 ms": round(percentile(all, 0.5)),
      "p95 ms": round(percentile(all, 0.95)),
    };
  };
  const slowest = questions
    .map(({ name }, index) => ({
      name,
      ms: median(base.timesMs.map((times) => times[index] ?? Number.NaN)),
      grownMs: median(grown.timesMs.map((times) => times[index] ?? Number.NaN)),
    }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, 5)
    .map(({ name, ms, grownMs }) => `${name}: ${String(round(ms))} and ${String(round(grownMs))}`);
  const ofRaw = RAW_QUESTIONS.map(({ name }, index) => {
    const pick = (which: keyof RawTimes) => raw.map((times) => times[index]?.[which] ?? Number.NaN);
    const [rawMs, oursMs] = [pick("rawMs"), pick("oursMs")];
    const ratio = round(medianRatio(rawMs, oursMs));
    return { name, rawMs: median(rawMs), oursMs: median(oursMs), ratio };
  });
  const rawMs = raw.flatMap((times) => times.map((time) => time.rawMs));
  const total = ({ rows }: Candidate) => rows.minutes + rows.hours;
  return {
    table: [
      row(base, `${String(TENANTS)} tenants, ${String(SEEDED_DAYS)} days`),
      row(grown, `${round(total(grown) / total(base)).toString()} times the rollups`),
      {
        what: "four of the questions from the calls themselves",
        "rollups of minutes": 0,
        "of hours": 0,
        "p50 ms": round(percentile(rawMs, 0.5)),
        "p95 ms": round(percentile(rawMs, 0.95)),
      },
    ],
    ratios: {
      growth10x: round(medianRatio(p95s(grown), p95s(base))),
      rawEvents: round(median(ofRaw.map(({ ratio }) => ratio))),
      rawEventsLeast: Math.min(...ofRaw.map(({ ratio }) => ratio)),
    },
    figures: {
      p95Ms: round(percentile(base.timesMs.flat(), 0.95)),
      grownP95Ms: round(percentile(grown.timesMs.flat(), 0.95)),
      rawMs: round(median(rawMs)),
      sameQuestionsMs: round(median(ofRaw.map(({ oursMs }) => oursMs))),
      rollups: total(base),
      grownRollups: total(grown),
    },
    remarks: [
      `${String(questions.length)} questions of Overview and Analytics for one tenant of ${String(CALLS_PER_SECOND)} calls a second, ${String(KEYS)} keys and 4 routes, over HTTP, one after the other; both products run side by side, take turns with each question, and must answer alike.`,
      `Grown: ${String(TENANTS * GROWTH)} tenants, and ${String(GROWTH)} times ${String(SEEDED_DAYS)} days of the asked tenant. Scaled down from life: each of the other tenants has calls in 4 hours of a day, in one minute of each, on ${String(options.scale)} ${options.scale === 1 ? "route" : "routes"} (\`--scale\`).`,
      `rawEvents: the same answers, equal to the call and within 2% of the exact p95, from ${String(CALLS_PER_SECOND * 86_400 * SEEDED_DAYS)} calls of this tenant in a table with an index on tenant and time; the median of: ${ofRaw.map(({ name, rawMs: before, oursMs, ratio }) => `${name} ${String(ratio)} (${String(round(before))} ms and ${String(round(oursMs))} ms)`).join("; ")}.`,
      `The slowest questions, base and grown, median ms: ${slowest.join("; ")}.`,
    ],
  };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const endMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const seed = { routesOfOthers: options.scale, endMs };
  const base = await openCandidate(
    "base",
    { ...seed, tenants: TENANTS, olderHistories: 0 },
    options,
  );
  try {
    const grown = await openCandidate(
      "grown",
      { ...seed, tenants: TENANTS * GROWTH, olderHistories: GROWTH - 1 },
      options,
    );
    try {
      const questions = listScreenQuestions(endMs - BEFORE_THE_HOUR_MS);
      return await compare([base, grown], questions, options);
    } finally {
      await grown.close();
    }
  } finally {
    await base.close();
  }
}

export const queryBench: Bench = {
  name: "query",
  summary: "The questions of the screens with ten times the rollups, and against raw calls.",
  defaults: { seconds: 1, rounds: 6 },
  run,
};
