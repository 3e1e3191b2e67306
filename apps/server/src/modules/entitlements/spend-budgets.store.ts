import type { Tx } from "@turnpike/db/client";
import type { SpendAnchor, SpendSpan } from "@turnpike/domain/billing/limits/spend-span";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { fromExactJson, type Json, toExactJson } from "#platform/exact-json.ts";

/** What keeps the spend of a tenant within its cap, and what a prepaid plan draws within its credit. One of both is there. */
export type SpendBudget = {
  /** Minor units; undefined without a cap. */
  cap: bigint | undefined;
  /** What usage that is not invoiced may come to, in minor units; undefined unless the plan is prepaid. */
  credit: bigint | undefined;
  currency: string;
  meters: readonly string[];
  spans: readonly SpendSpan[];
  /** Usage recorded up to here is in the spans. */
  fedTo: Date;
  /** How far the clock of the environment, by which the spans are, is ahead: 0 but in a sandbox. */
  aheadMs: number;
};

/** Whose budget it is. */
export type BudgetKey = { tenantId: TenantId; environment: Environment };

/** A budget that is locked, or read, with where counting goes on from in each span and the clock of the environment, by that of the database. */
export type CountedBudget = SpendBudget & {
  anchors: readonly (SpendAnchor | undefined)[];
  /** True while calls that were let through before are still being counted: nothing is granted. */
  settles: boolean;
  now: Date;
};

/** By then every process has heard of a budget and has committed what it let through before. */
const SETTLES_S = 2;

type BudgetRow = {
  cap: string | null;
  credit: string | null;
  currency: string;
  meters: string[];
  spans: Json;
  fed_to: Date;
  ahead_ms: string;
  anchors: Json;
  settles: boolean;
  now: Date;
};

function toMinor(text: string | null): bigint | undefined {
  return text === null ? undefined : BigInt(text);
}

function toCounted(row: BudgetRow): CountedBudget {
  const anchors = fromExactJson<(SpendAnchor | null)[]>(row.anchors);
  const aheadMs = Number(row.ahead_ms);
  return {
    cap: toMinor(row.cap),
    credit: toMinor(row.credit),
    currency: row.currency,
    meters: row.meters,
    spans: fromExactJson<SpendSpan[]>(row.spans),
    fedTo: row.fed_to,
    anchors: anchors.map((anchor) => anchor ?? undefined),
    settles: row.settles,
    aheadMs,
    now: new Date(row.now.getTime() + aheadMs),
  };
}

function columns(tx: Tx) {
  return tx`cap::text as cap, credit::text as credit, currency, meters, spans, fed_to, ahead_ms, anchors,
    coalesce(settles_at > clock_timestamp(), false) as settles, clock_timestamp() as now`;
}

/** Reads a budget; `undefined` for a tenant without a cap and without a prepaid plan. */
export async function findSpendBudget(
  tx: Tx,
  { tenantId, environment }: BudgetKey,
): Promise<CountedBudget | undefined> {
  const [row] = await tx<BudgetRow[]>`
    select ${columns(tx)} from spend_budgets
    where tenant_id = ${tenantId} and environment = ${environment}`;
  return row === undefined ? undefined : toCounted(row);
}

/** The same, locked until the end of the transaction: grants of one tenant take turns. */
export async function lockSpendBudget(
  tx: Tx,
  { tenantId, environment }: BudgetKey,
): Promise<CountedBudget | undefined> {
  const [row] = await tx<BudgetRow[]>`
    select ${columns(tx)} from spend_budgets
    where tenant_id = ${tenantId} and environment = ${environment} for no key update`;
  return row === undefined ? undefined : toCounted(row);
}

/** Keeps where counting goes on from, at the places of the spans. */
export async function writeSpendAnchors(
  tx: Tx,
  { tenantId, environment }: BudgetKey,
  anchors: readonly (SpendAnchor | undefined)[],
): Promise<void> {
  const json = tx.json(toExactJson(anchors.map((anchor) => anchor ?? null)) as never);
  await tx`update spend_budgets set anchors = ${json}
    where tenant_id = ${tenantId} and environment = ${environment}`;
}

/**
 * Writes the budget of a tenant; counting begins anew. Needs the operator role.
 *
 * @returns True when the cap, the credit or what they are about is another one, so that processes have to hear of it.
 */
export async function writeSpendBudget(
  tx: Tx,
  { tenantId, environment }: BudgetKey,
  { settles, now, ...budget }: SpendBudget & { settles: boolean; now: Date },
): Promise<boolean> {
  const { cap, credit, currency, meters, spans, fedTo, aheadMs } = budget;
  const [before] = await tx<
    Omit<BudgetRow, "spans" | "fed_to" | "ahead_ms" | "anchors" | "settles" | "now">[]
  >`
    select cap::text as cap, credit::text as credit, currency, meters from spend_budgets
    where tenant_id = ${tenantId} and environment = ${environment} for no key update`;
  const isSame =
    before !== undefined &&
    toMinor(before.cap) === cap &&
    toMinor(before.credit) === credit &&
    before.currency === currency &&
    before.meters.join("\n") === meters.join("\n");
  const row = {
    cap: cap?.toString() ?? null,
    credit: credit?.toString() ?? null,
    currency,
    meters: [...meters],
    spans: tx.json(toExactJson(spans) as never),
    fed_to: fedTo,
    ahead_ms: aheadMs,
    anchors: tx.json([]),
    ...(isSame ? {} : { changed_at: now }),
  };
  await (before === undefined
    ? tx`insert into spend_budgets ${tx({ ...row, tenant_id: tenantId, environment, changed_at: now })}`
    : tx`update spend_budgets set ${tx(row)} where tenant_id = ${tenantId} and environment = ${environment}`);
  if (settles) {
    await tx`
      update spend_budgets set settles_at = clock_timestamp() + make_interval(secs => ${SETTLES_S})
      where tenant_id = ${tenantId} and environment = ${environment}`;
  }
  return !isSame;
}

/** @param input.environment - Left out: both. @returns Rows removed. */
export async function deleteSpendBudget(
  tx: Tx,
  { tenantId, environment }: { tenantId: TenantId; environment?: Environment },
): Promise<number> {
  const rows = await tx`
    delete from spend_budgets
    where tenant_id = ${tenantId} and ${environment === undefined ? tx`true` : tx`environment = ${environment}`}
    returning 1`;
  return rows.length;
}

/** Tenants with a budget of their live account after one of them, in the order of their ids; deleted ones are left out. */
export async function listBudgetedTenants(
  tx: Tx,
  { after, limit }: { after: TenantId | undefined; limit: number },
): Promise<TenantId[]> {
  const rows = await tx<{ tenantId: TenantId }[]>`
    select tenant_id as "tenantId" from spend_budgets join tenants using (tenant_id)
    where environment = 'live' and ${after === undefined ? tx`true` : tx`tenant_id > ${after}`}
    order by tenant_id limit ${limit}`;
  return rows.map(({ tenantId }) => tenantId);
}
