import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { TwoCells } from "./cell-databases.ts";
import { UNLIMITED } from "./cell-databases.ts";
import {
  type CatalogItem,
  findFingerprint,
  findNamesInUse,
  findSeriesHere,
  listCoupons,
  listCouponsOfTenant,
  listKeptFrom,
  listMeters,
  listMetersOfTenant,
  listPlansOfTenant,
  listPlanVersions,
  listProvenDomains,
  listSeriesOfTenant,
  listVersions,
  readClock,
} from "./cells-differ.store.ts";
import { findPeopleThere } from "./find-people.ts";
import { listTablesWithRows } from "./schema.store.ts";
import { LATE_TABLES } from "./tables-of-tenant.ts";
import type { TenantNames } from "./tenant-moves.store.ts";

const CLOCKS_DIFFER_MAX_MS = 60_000;

export type CheckedTenant = TenantNames & { tenantId: TenantId };

/** Names what is there in another form, or not at all. */
function listDifferences(here: readonly CatalogItem[], there: readonly CatalogItem[]): string[] {
  const known = new Map(there.map(({ name, content }) => [name, content]));
  return here.flatMap(({ name, content }) => {
    const other = known.get(name);
    if (other === undefined) {
      return [`The other cell has no ${name}.`];
    }
    return other === content ? [] : [`The ${name} differs in the other cell.`];
  });
}

async function readNeeds(tx: Tx, tenantId: TenantId) {
  return {
    plans: await listPlansOfTenant(tx, tenantId),
    meters: await listMeters(tx, await listMetersOfTenant(tx, tenantId)),
    coupons: await listCoupons(tx, await listCouponsOfTenant(tx, tenantId)),
    keptFrom: await listKeptFrom(tx),
    fingerprint: await findFingerprint(tx),
    versions: await listVersions(tx),
    series: await listSeriesOfTenant(tx, tenantId),
    domains: await listProvenDomains(tx, tenantId),
    now: await readClock(tx),
  };
}

type Needs = Awaited<ReturnType<typeof readNeeds>>;

async function findCatalogFaults(tx: Tx, needs: Needs): Promise<string[]> {
  const ids = (items: readonly CatalogItem[], kind: string) =>
    items.map(({ name }) => name.slice(kind.length));
  return [
    ...listDifferences(
      needs.plans,
      await listPlanVersions(
        tx,
        needs.plans.map(({ name }) => name),
      ),
    ),
    ...listDifferences(needs.meters, await listMeters(tx, ids(needs.meters, "meter "))),
    ...listDifferences(needs.coupons, await listCoupons(tx, ids(needs.coupons, "coupon "))),
  ];
}

async function findNameFaults(tx: Tx, tenant: CheckedTenant, needs: Needs): Promise<string[]> {
  const used = await findNamesInUse(tx, { ...tenant, domains: needs.domains });
  const late = used.id
    ? []
    : await listTablesWithRows(tx, Object.keys(LATE_TABLES), tenant.tenantId);
  return [
    ...(used.id ? ["The other cell has this tenant already: is it the same database?"] : []),
    ...(used.parked || late.length > 0
      ? ["It left the other cell, and what came late there is not here: run its move there again."]
      : []),
    ...(used.slug ? [`Another tenant has the slug ${tenant.slug} there.`] : []),
    ...(used.externalId
      ? [`Another tenant has the external id ${tenant.externalId ?? ""} there.`]
      : []),
    ...used.domains.map((domain) => `Another tenant has proven the domain ${domain} there.`),
  ];
}

/** Numbers of documents are given out once: two cells may not count in one series. */
async function findSeriesFaults(tx: Tx, tenant: CheckedTenant, needs: Needs): Promise<string[]> {
  const faults: string[] = [];
  for (const { series, numbers } of needs.series) {
    const there = await findSeriesHere(tx, { tenantId: tenant.tenantId, series });
    const given = new Set(there?.given);
    if (there?.isForeign === false && !numbers.every((number) => given.has(number))) {
      faults.push(
        `Both cells number documents in the series ${series}. Give one of them other values of billing.invoicePrefix and creditNotePrefix.`,
      );
    }
  }
  return faults;
}

/** What was encrypted here has to be read there. */
function findSecretFaults(
  here: Needs["fingerprint"],
  there: Needs["fingerprint"],
  secretNames: readonly string[],
): string[] {
  if (here === undefined || there === undefined) {
    const which = here === undefined ? "this cell" : "the other cell";
    return [
      `No node of ${which} ran in the last week: start one, so that secrets can be compared.`,
    ];
  }
  return secretNames
    .filter((name) => here[name] !== there[name])
    .map((name) => `${name} differs in the other cell.`);
}

/** Versions with one schema may read what is in it in different ways. */
function findVersionFaults(here: readonly string[], there: readonly string[]): string[] {
  const [ours, theirs] = [here.join(" and "), there.join(" and ")];
  return ours === theirs || ours === "" || theirs === ""
    ? []
    : [
        `The other cell runs version ${theirs} of Turnpike, and this one ${ours}: bring both to one version.`,
      ];
}

function findRetentionFaults(here: Needs["keptFrom"], there: Needs["keptFrom"]): string[] {
  return here.flatMap(({ class: usageClass, keptFrom }) => {
    const other = there.find((one) => one.class === usageClass)?.keptFrom ?? null;
    return other === null || (keptFrom !== null && other <= keptFrom)
      ? []
      : [`The other cell keeps ${usageClass} of usage from ${other.toISOString()} on only.`];
  });
}

/**
 * Compares what a tenant needs of its cell with what the other one has, and changes nothing. Both have the same schema: opening a
 * database refuses another one.
 *
 * @param input.secretNames - What must be equal of the fingerprints of nodes.
 * @returns What stands against the move, in sentences; empty when nothing does.
 * @throws {AppError} `CONFLICT` about people whose accounts cannot be matched.
 */
export async function findMoveFaults(
  { here, there }: TwoCells,
  input: { tenant: CheckedTenant; secretNames: readonly string[] },
): Promise<string[]> {
  const { tenant, secretNames } = input;
  const needs = await here.transact.asOperatorWithDeleted(
    (tx) => readNeeds(tx, tenant.tenantId),
    UNLIMITED,
  );
  const faults = await there.transact.asOperatorWithDeleted(async (tx) => {
    const differMs = Math.abs((await readClock(tx)).getTime() - here.clock.now().getTime());
    return [
      ...(await findNameFaults(tx, tenant, needs)),
      ...(await findCatalogFaults(tx, needs)),
      ...(await findSeriesFaults(tx, tenant, needs)),
      ...findSecretFaults(needs.fingerprint, await findFingerprint(tx), secretNames),
      ...findVersionFaults(needs.versions, await listVersions(tx)),
      ...findRetentionFaults(needs.keptFrom, await listKeptFrom(tx)),
      ...(differMs > CLOCKS_DIFFER_MAX_MS
        ? ["The clocks of the cells differ by a minute or more."]
        : []),
    ];
  }, UNLIMITED);
  await findPeopleThere({ here, there }, { tenantId: tenant.tenantId, areParked: false });
  return faults;
}
