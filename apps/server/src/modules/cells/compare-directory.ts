import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import type { CellDirectory } from "./cell-directory.ts";
import {
  countKeyPlaces,
  deleteOtherKeyPlaces,
  findComparison,
  findLivingTenants,
  type LivingTenant,
  listKeyHashes,
  listLivingTenants,
  listOldPlaces,
  saveComparison,
  upsertPlaces,
} from "./compare-directory.store.ts";
import { insertKeyPlaces } from "./directory.store.ts";

export type CompareDirectoryDeps = Pick<AppServices, "transact" | "logger"> & {
  directory: CellDirectory;
};

/** What a restored copy of the directory lacks is back after this time. */
const EVERY_HOURS = 1;
const TENANTS_AT_ONCE = 100;
const KEYS_AT_ONCE = 1_000;
/** Keys of one tenant that are compared one by one, each 64 bytes; of a larger tenant dead entries stay. */
const KEYS_COMPARED_MAX = 200_000;
/** The two halves of a comparison, in their order; the place in the second one begins with this. */
const SECOND_HALF = "directory:";

/**
 * Brings the directory up to date with this cell: first what the cell has is entered, then what it does not have is removed. Each step
 * is small and noted in the directory, so it may be stopped anywhere and goes on in the next run.
 *
 * @returns How many tenants were looked at; 0 when no comparison is due.
 * @throws {AppError} `DIRECTORY_UNAVAILABLE`.
 */
export async function compareDirectory(
  deps: CompareDirectoryDeps,
  { signal }: { signal: AbortSignal },
): Promise<number> {
  const { directory } = deps;
  const { cell } = directory;
  const found = await directory.ask((tx) => findComparison(tx, { cell, hours: EVERY_HOURS }));
  let place = found?.comparedTo ?? "";
  let looked = 0;
  let isDone = found?.isDue !== true;
  while (!isDone && !signal.aborted) {
    const step = place.startsWith(SECOND_HALF)
      ? await removeDead(deps, place.slice(SECOND_HALF.length))
      : await enterLiving(deps, place);
    looked += step.looked;
    isDone = step.next === undefined;
    place = step.next ?? "";
    const comparedTo = step.next ?? null;
    await directory.ask((tx) => saveComparison(tx, { cell, comparedTo }));
  }
  return looked;
}

/** One step. `next` is undefined after the last one. */
type Step = { looked: number; next: string | undefined };

async function enterLiving(deps: CompareDirectoryDeps, after: string): Promise<Step> {
  const { transact, directory } = deps;
  const { cell } = directory;
  const tenants = await transact.asOperatorWithDeleted((tx) =>
    listLivingTenants(tx, { after, limit: TENANTS_AT_ONCE }),
  );
  const last = tenants.at(-1);
  if (last === undefined) {
    return { looked: 0, next: SECOND_HALF };
  }
  await directory.ask((tx) => upsertPlaces(tx, { cell, tenants }));
  for (const tenant of tenants) {
    await enterKeys(deps, tenant);
  }
  return { looked: tenants.length, next: last.tenantId };
}

/** Goes through the keys of a tenant. @returns Their look-ups, a page at a time. */
async function* pagesOfKeys(
  { transact, directory }: CompareDirectoryDeps,
  tenantId: TenantId,
): AsyncGenerator<string[]> {
  let after = "";
  for (;;) {
    const keys = await transact.asOperatorWithDeleted((tx) =>
      listKeyHashes(tx, { tenantId, after, limit: KEYS_AT_ONCE }),
    );
    const last = keys.at(-1);
    if (last === undefined) {
      return;
    }
    yield keys.map(({ hash }) => directory.toLookup(hash));
    after = last.keyId;
  }
}

async function enterKeys(deps: CompareDirectoryDeps, { tenantId }: LivingTenant): Promise<void> {
  for await (const lookups of pagesOfKeys(deps, tenantId)) {
    const foreign = await deps.directory.ask((tx) => insertKeyPlaces(tx, { tenantId, lookups }));
    if (foreign.length > 0) {
      deps.logger.warn(
        { tenantId, keys: foreign.length },
        "Keys of a tenant are those of another one as well, and lead to that at other cells",
      );
    }
  }
}

async function removeDead(deps: CompareDirectoryDeps, after: string): Promise<Step> {
  const { transact, directory } = deps;
  const { cell } = directory;
  const tenantIds = await directory.ask((tx) =>
    listOldPlaces(tx, { cell, after, limit: TENANTS_AT_ONCE }),
  );
  const last = tenantIds.at(-1);
  if (last === undefined) {
    return { looked: 0, next: undefined };
  }
  const living = await transact.asOperatorWithDeleted((tx) => findLivingTenants(tx, tenantIds));
  const counts = await directory.ask((tx) => countKeyPlaces(tx, tenantIds));
  for (const tenantId of tenantIds) {
    if (!living.has(tenantId)) {
      await directory.dropTenant(tenantId);
    } else if (counts.has(tenantId)) {
      await removeDeadKeys(deps, tenantId, counts.get(tenantId) ?? 0);
    }
  }
  return { looked: tenantIds.length, next: `${SECOND_HALF}${last}` };
}

/** The first half has entered every key that is here, so as many are the same ones. */
async function removeDeadKeys(
  deps: CompareDirectoryDeps,
  tenantId: TenantId,
  entered: number,
): Promise<void> {
  const lookups: string[] = [];
  for await (const page of pagesOfKeys(deps, tenantId)) {
    lookups.push(...page);
    if (lookups.length > KEYS_COMPARED_MAX) {
      return;
    }
  }
  if (lookups.length < entered) {
    await deps.directory.ask((tx) => deleteOtherKeyPlaces(tx, { tenantId, lookups }));
  }
}
