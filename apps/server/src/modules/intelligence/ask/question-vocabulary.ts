import { may, mayInTenant } from "@turnpike/domain/access/actor";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { CALL_METHODS } from "@turnpike/domain/metering/call-method";
import { OTHER_MODEL } from "@turnpike/domain/metering/model-registry";
import {
  indexVocabulary,
  type QuestionVocabulary,
} from "@turnpike/domain/questions/question-vocabulary";
import { periodAt } from "@turnpike/domain/time/period";
import { DAY_MS } from "@turnpike/domain/time/zoned-buckets";
import { queryUsage, queryUsageOfAll } from "#modules/analytics/index.ts";
import { listMeters, listPlans } from "#modules/catalog/index.ts";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { listKeys, listKeysNamed } from "#modules/keys/index.ts";
import { listTenants } from "#modules/tenants/index.ts";
import type { AskDeps, Asker } from "./asker.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";

type Named = { id: string; name: string };

/** More names are found exactly and not by their parts. */
const NAMES_MAX = 2_000;
const ROUTES_MAX = 1_000;
const VALUES_MAX = 200;
const SEEN_DAYS = 31;
const FRESH_MS = 60_000;
/** Vocabularies kept at once. */
const KEPT_MAX = 50;
const RUN_WORDS_MAX = 5;

async function listNamedKeys(deps: AskDeps, { context, tenantId }: Asker): Promise<Named[]> {
  if (tenantId === null || !mayInTenant(context.actor, "keys:read", tenantId)) {
    return [];
  }
  const { items } = await listKeys(deps, context, { tenantId, limit: NAMES_MAX });
  return items.map(({ keyId, name }) => ({ id: keyId, name }));
}

async function listNamedTenants(deps: AskDeps, { context, tenantId }: Asker): Promise<Named[]> {
  if (tenantId !== null || !may(context.actor, "tenants:read")) {
    return [];
  }
  const { items } = await listTenants(deps, context, { limit: NAMES_MAX });
  return items.map((tenant) => ({ id: tenant.tenantId, name: tenant.name }));
}

/** Plans by name: those that the caller may see. */
async function listNamedPlans(deps: AskDeps, { context }: Asker): Promise<Named[]> {
  const { items } = await listPlans(deps, context);
  return items.map(({ planId, name }) => ({ id: planId, name }));
}

/** The values of a dimension that had usage lately. */
async function listSeen(
  deps: AskDeps,
  { context, tenantId, nowMs }: Asker,
  {
    measure,
    dimension,
    limit,
  }: {
    measure: "requests" | `meter:${string}`;
    dimension: "route" | "model" | `event:${string}`;
    limit: number;
  },
): Promise<string[]> {
  const question = {
    measures: [measure],
    meter: REQUESTS_METER,
    dimensions: [dimension],
    from: new Date(Math.max(0, nowMs - SEEN_DAYS * DAY_MS)).toISOString(),
    timeZone: "UTC",
    limit,
  };
  const { rows } =
    tenantId === null
      ? await queryUsageOfAll(deps, context, question)
      : await queryUsage(deps, context, { ...question, tenantId });
  return rows.map(({ group }) => group[dimension] ?? "").filter((value) => value !== "");
}

async function findBillingPeriod(deps: AskDeps, { tenantId, nowMs }: Asker) {
  const entitlement =
    tenantId === null
      ? undefined
      : await deps.transact.asTenant(tenantId, (tx) => findEntitlement(tx, tenantId));
  const now = new Date(nowMs);
  if (entitlement !== undefined) {
    const { start, end } = periodAt(entitlement.periodAnchor, entitlement.periodUnit, now);
    return { from: start.toISOString(), to: end.toISOString() };
  }
  const toDay = (months: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString();
  return { from: toDay(0).slice(0, 10), to: toDay(1).slice(0, 10) };
}

function toIds(named: readonly Named[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, name } of named) {
    ids.set(name, [...(ids.get(name) ?? []), id]);
  }
  return ids;
}

async function readVocabulary(deps: AskDeps, asker: Asker): Promise<NamedVocabulary> {
  const keys = await listNamedKeys(deps, asker);
  const tenants = await listNamedTenants(deps, asker);
  const plans = await listNamedPlans(deps, asker);
  const { items } = await listMeters(deps, asker.context);
  const meters = items.filter(({ meterId }) => meterId !== REQUESTS_METER);
  const meterValues: Record<string, string[]> = {};
  for (const { meterId, dimensions = [] } of meters) {
    for (const { name } of dimensions) {
      const seen = await listSeen(deps, asker, {
        measure: `meter:${meterId}`,
        dimension: `event:${name}`,
        limit: VALUES_MAX,
      });
      meterValues[name] = [...new Set([...(meterValues[name] ?? []), ...seen])];
    }
  }
  const routes = await listSeen(deps, asker, {
    measure: "requests",
    dimension: "route",
    limit: ROUTES_MAX,
  });
  const models = await listSeen(deps, asker, {
    measure: "requests",
    dimension: "model",
    limit: VALUES_MAX,
  });
  const vocabulary: QuestionVocabulary = {
    actor: asker.tenantId === null ? "operator" : "tenant",
    timeZone: asker.timeZone,
    billingPeriod: await findBillingPeriod(deps, asker),
    tenants: [...new Set(tenants.map(({ name }) => name))],
    keys: [...new Set(keys.map(({ name }) => name))],
    plans: [...new Set(plans.map(({ name }) => name))],
    routes,
    models: models.filter((name) => name !== OTHER_MODEL),
    methods: CALL_METHODS,
    regions: [],
    environments: ENVIRONMENTS,
    meters: meters.map(({ meterId, name, unit, dimensions = [] }) => ({
      slug: meterId,
      name,
      unit,
      dimensions: dimensions.map((dimension) => dimension.name),
    })),
    meterValues,
  };
  return {
    index: indexVocabulary(vocabulary),
    ids: { key: toIds(keys), tenant: toIds(tenants), plan: toIds(plans) },
    names: new Map([...keys, ...tenants, ...plans].map(({ id, name }) => [id, name])),
    meters: new Map(meters.map(({ meterId, name, unit }) => [meterId, { name, unit }])),
    isCut: keys.length === NAMES_MAX || tenants.length === NAMES_MAX,
    readAtMs: asker.nowMs,
  };
}

/** What a caller may see decides what the caller's questions may name. */
function nameOf({ context, tenantId, timeZone }: Asker): string {
  const { actor } = context;
  const sees = [
    tenantId !== null && mayInTenant(actor, "keys:read", tenantId),
    may(actor, "tenants:read"),
    may(actor, "catalog:read"),
  ];
  return [tenantId ?? "all", ...sees, timeZone].join(" ");
}

/** Runs of words of a text that may be names. */
function listRuns(text: string): string[] {
  const words = text
    .toLowerCase()
    .replace(/[?!,;"“”]/g, " ")
    .split(/\s+/)
    .filter(Boolean);
  return words.flatMap((_, at) =>
    Array.from({ length: Math.min(RUN_WORDS_MAX, words.length - at) }, (__, more) =>
      words.slice(at, at + more + 1).join(" "),
    ),
  );
}

/** Adds the keys that a text names exactly, where there are more than are indexed. */
async function withNamedKeys(
  deps: AskDeps,
  asker: Asker,
  { vocabulary, texts }: { vocabulary: NamedVocabulary; texts: readonly string[] },
): Promise<NamedVocabulary> {
  const { tenantId, context } = asker;
  if (
    tenantId === null ||
    !vocabulary.isCut ||
    !mayInTenant(context.actor, "keys:read", tenantId)
  ) {
    return vocabulary;
  }
  const names = [...new Set(texts.flatMap(listRuns))];
  const rows = await deps.transact.asTenant(tenantId, (tx) => listKeysNamed(tx, tenantId, names));
  const more = rows.filter(({ key_id }) => !vocabulary.names.has(key_id));
  if (more.length === 0) {
    return vocabulary;
  }
  const keys = new Map(vocabulary.ids.key);
  for (const { key_id, name } of more) {
    keys.set(name, [...(keys.get(name) ?? []), key_id]);
  }
  const known = vocabulary.index.vocabulary;
  return {
    ...vocabulary,
    index: indexVocabulary({ ...known, keys: [...keys.keys()] }),
    ids: { ...vocabulary.ids, key: keys },
    names: new Map([
      ...vocabulary.names,
      ...more.map(({ key_id, name }) => [key_id, name] as const),
    ]),
  };
}

/**
 * Finds what questions may name: everything that the caller may see. Of more than {@link NAMES_MAX} keys, older ones are found by
 * their whole name in `texts`.
 *
 * @param isFresh - Reads anew what was read before: a name may be new.
 * @throws {AppError} as `queryUsage`.
 */
export async function findVocabulary(
  deps: AskDeps,
  asker: Asker,
  { texts, isFresh = false }: { texts: readonly string[]; isFresh?: boolean },
): Promise<NamedVocabulary> {
  const name = nameOf(asker);
  const kept = deps.vocabularies.get(name);
  let vocabulary = kept;
  if (kept === undefined || isFresh || asker.nowMs - kept.readAtMs >= FRESH_MS) {
    vocabulary = await readVocabulary(deps, asker);
    deps.vocabularies.delete(name);
    deps.vocabularies.set(name, vocabulary);
    const [oldest] = deps.vocabularies.keys();
    if (deps.vocabularies.size > KEPT_MAX && oldest !== undefined) {
      deps.vocabularies.delete(oldest);
    }
  }
  return vocabulary === undefined
    ? await readVocabulary(deps, asker)
    : await withNamedKeys(deps, asker, { vocabulary, texts });
}
