import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { ChangeListener } from "#platform/change-feed.ts";
import { listMeters, listPlans } from "./list-catalog.ts";

type Plans = Awaited<ReturnType<typeof listPlans>>["items"];
type Meters = Awaited<ReturnType<typeof listMeters>>["items"];

export type PublicCatalog = { plans: Plans; meters: Meters };

/** Visitors wait no longer than this for a database that does not answer. */
const READ_TIMEOUT_MS = 2_000;
/** A default plan or a meter's name that changed without a new version of a plan is seen after this. */
const AGE_MS_MAX = 30_000;

/**
 * Keeps the public catalogue in memory for pages that anybody may ask for as often as they like: one query for all who
 * wait, again after a change.
 *
 * @returns `get` answers the last known catalogue while the database is away, and throws when there is none.
 */
export function createPublicCatalog(
  deps: Pick<AppServices, "transact"> & { monotonicMs(): number },
): { get(): Promise<PublicCatalog>; applyChange: ChangeListener } {
  let known: { catalog: PublicCatalog; readAtMs: number } | undefined;
  let reading: Promise<PublicCatalog> | undefined;
  let version = 0;

  async function read(): Promise<PublicCatalog> {
    const startedVersion = version;
    const readAtMs = deps.monotonicMs();
    const [plans, meters] = await withTimeout(
      Promise.all([listPlans(deps, undefined), listMeters(deps)]),
      READ_TIMEOUT_MS,
    );
    const catalog = { plans: plans.items, meters: meters.items };
    // What changed while it was read is asked for again by the next visitor.
    const isCurrent = startedVersion === version;
    known = { catalog, readAtMs: isCurrent ? readAtMs : Number.NEGATIVE_INFINITY };
    return catalog;
  }

  return {
    get: async () => {
      if (known !== undefined && deps.monotonicMs() - known.readAtMs < AGE_MS_MAX) {
        return known.catalog;
      }
      reading ??= read().finally(() => {
        reading = undefined;
      });
      try {
        return await reading;
      } catch (error) {
        if (known === undefined) {
          throw error;
        }
        return known.catalog;
      }
    },
    applyChange: (change) => {
      if (change.kind === "plan" || change.kind === "reset") {
        version += 1;
        known = known && { ...known, readAtMs: Number.NEGATIVE_INFINITY };
      }
    },
  };
}
