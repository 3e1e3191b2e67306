import { ANSWER_ROWS_MAX, type AnswerRow, type AskedQuery } from "@turnpike/contract/questions";
import { assertMay, assertMayInTenant } from "@turnpike/domain/access/actor";
import { said } from "@turnpike/domain/text/said";
import { listBucketStarts } from "@turnpike/domain/time/zoned-buckets";
import { listKeys } from "#modules/keys/index.ts";
import { listTenants } from "#modules/tenants/index.ts";
import { type Answered, answerUsage } from "./answer-usage.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";
import { describeMeasure } from "./describe-measure.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";
import { type InstantRange, rangeOfQuery } from "./range-of-query.ts";

/** Counts of things rather than of calls. */
export const COUNTED = [
  "active_keys",
  "active_tenants",
  "keys_created",
  "keys_revoked",
  "tenants",
  "new_tenants",
];

const COUNTED_MAX = 10_000;

/** Something counted: when, and by what it can be broken down. */
type Thing = { atMs: number; group: Record<string, string> };

const iso = (ms: number) => new Date(ms).toISOString();

async function listThings(
  deps: AskDeps,
  { context, tenantId }: Asker,
  measure: string,
): Promise<{ things: Thing[]; isCut: boolean }> {
  if (measure === "keys_created" || measure === "keys_revoked") {
    if (tenantId === null) {
      throw new CannotAnswer("Keys are counted for one tenant: open it and ask there.");
    }
    assertMayInTenant(context.actor, "keys:read", tenantId);
    const { items, nextCursor } = await listKeys(deps, context, { tenantId, limit: COUNTED_MAX });
    const things = items.map(({ createdAt, revokedAt, environment }) => ({
      atMs: Date.parse((measure === "keys_created" ? createdAt : revokedAt) ?? ""),
      group: { environment },
    }));
    return { things: things.filter(({ atMs }) => !Number.isNaN(atMs)), isCut: nextCursor !== null };
  }
  assertMay(context.actor, "tenants:read");
  const { items, nextCursor } = await listTenants(deps, context, { limit: COUNTED_MAX });
  const things = items.map(({ createdAt, planId }) => ({
    atMs: Date.parse(createdAt),
    group: { plan: planId },
  }));
  return { things, isCut: nextCursor !== null };
}

function isIncluded(vocabulary: NamedVocabulary, query: AskedQuery, { group }: Thing): boolean {
  return query.filters.every(({ field, op, value }) => {
    const found = group[field];
    if (found === undefined) {
      throw new CannotAnswer(
        "{0} are not counted by {1}.",
        describeMeasure(vocabulary, query.measures[0] ?? "").title,
        field,
      );
    }
    const wanted = [value].flat().map(String);
    const ids =
      field === "plan" ? wanted.flatMap((name) => vocabulary.ids.plan.get(name) ?? []) : wanted;
    return (op === "eq" || op === "in") === ids.includes(found);
  });
}

/** Counts things by step of time and group. */
function toRows(
  things: readonly Thing[],
  { query, range, timeZone }: { query: AskedQuery; range: InstantRange; timeZone: string },
): AnswerRow[] {
  const [measure = ""] = query.measures;
  const starts = query.grain === undefined ? [] : listBucketStarts(query.grain, timeZone, range);
  const rows = new Map<string, AnswerRow>();
  for (const { atMs, group } of things) {
    const startMs = starts.findLast((ms) => ms <= atMs);
    const time = startMs === undefined ? null : iso(startMs);
    const of = Object.fromEntries(query.dimensions.map((name) => [name, group[name] ?? ""]));
    const name = JSON.stringify([time, of]);
    const row = rows.get(name) ?? { time, group: of, values: { [measure]: 0 }, before: null };
    rows.set(name, { ...row, values: { [measure]: Number(row.values[measure] ?? 0) + 1 } });
  }
  const direction = query.order === "asc" ? 1 : -1;
  return [...rows.values()].toSorted(
    (one, other) =>
      (one.time ?? "").localeCompare(other.time ?? "") ||
      direction * (Number(one.values[measure]) - Number(other.values[measure])),
  );
}

/** Counts those of a tenant or an operator that had a call. */
async function countActive(
  deps: AskDeps,
  asker: Asker,
  {
    vocabulary,
    query,
    of,
  }: { vocabulary: NamedVocabulary; query: AskedQuery; of: "key" | "tenant" },
): Promise<Answered> {
  const [measure = ""] = query.measures;
  const { limit: _, order: __, compare: ___, ...rest } = query;
  const dimensions = [...query.dimensions.filter((name) => name !== of), of];
  const { answer } = await answerUsage(deps, asker, {
    vocabulary,
    query: { ...rest, measures: ["requests"], dimensions },
  });
  if (answer.truncated) {
    throw new CannotAnswer("There are too many to count: narrow the range.");
  }
  const used = answer.rows.filter(({ group }) => group[of] !== "");
  const things = used.map(({ time, group }) => ({ atMs: Date.parse(time ?? answer.from), group }));
  const range = rangeOfQuery(query, asker.timeZone);
  return {
    assumed: [said("active: with a call in the range")],
    answer: {
      ...answer,
      measures: [describeMeasure(vocabulary, measure)],
      dimensions: query.dimensions,
      rows: toRows(things, { query, range, timeZone: asker.timeZone }).slice(0, query.limit),
      totals: { [measure]: new Set(used.map(({ group }) => group[of])).size },
      usage: null,
    },
  };
}

/** Answers how many keys or tenants there are, were made or were active. @throws {CannotAnswer} */
export async function answerCounts(
  deps: AskDeps,
  asker: Asker,
  { vocabulary, query }: { vocabulary: NamedVocabulary; query: AskedQuery },
): Promise<Answered> {
  const [measure = "", ...more] = query.measures;
  if (more.length > 0 || query.compare !== undefined) {
    throw new CannotAnswer(
      "Counts of keys and tenants are asked for one at a time, without a comparison.",
    );
  }
  if (measure === "active_keys" || measure === "active_tenants") {
    const of = measure === "active_keys" ? "key" : "tenant";
    return await countActive(deps, asker, { vocabulary, query, of });
  }
  const range = rangeOfQuery(query, asker.timeZone);
  const { things, isCut } = await listThings(deps, asker, measure);
  if (isCut) {
    throw new CannotAnswer("There are more than 10,000 of them: too many to count here.");
  }
  const isStock = measure === "tenants";
  const counted = things.filter(
    (thing) =>
      thing.atMs < range.toMs &&
      (isStock || thing.atMs >= range.fromMs) &&
      isIncluded(vocabulary, query, thing),
  );
  if (isStock && query.grain !== undefined) {
    throw new CannotAnswer(
      "The number of tenants is known for now: ask for new tenants over time.",
    );
  }
  const { grain = null } = query;
  const rows = toRows(counted, { query, range, timeZone: asker.timeZone });
  const shown = rows.slice(0, Math.min(query.limit ?? ANSWER_ROWS_MAX, ANSWER_ROWS_MAX));
  return {
    assumed: isStock ? [said("tenants that exist now")] : [],
    answer: {
      measures: [describeMeasure(vocabulary, measure)],
      dimensions: query.dimensions,
      from: iso(range.fromMs),
      to: iso(range.toMs),
      grain,
      rows: shown,
      totals: { [measure]: counted.length },
      totalsBefore: null,
      names: Object.fromEntries(
        shown.flatMap(({ group }) => {
          const name = vocabulary.names.get(group["plan"] ?? "");
          return name === undefined ? [] : [[group["plan"] ?? "", name]];
        }),
      ),
      truncated: shown.length < rows.length,
      usage: null,
    },
  };
}
