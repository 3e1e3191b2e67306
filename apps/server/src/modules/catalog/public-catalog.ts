import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { ChangeListener } from "#platform/change-feed.ts";
import { listMeterRows } from "./catalog.store.ts";
import { listPlans, toVisitorsMeter } from "./list-catalog.ts";

type Plans = Awaited<ReturnType<typeof listPlans>>["items"];
type Meters = ReturnType<typeof toVisitorsMeter>[];

export type PublicCatalog = {
  plans: Plans;
  meters: Meters;
  /** Those that count events, not calls. */
  eventMeterIds: ReadonlySet<string>;
};

/** Visitors wait no longer than this for a database that does not answer. */
const READ_TIMEOUT_MS = 2_000;
/** A default plan or a meter's name that changed without a new version of a plan is seen after this. */
const AGE_MS_MAX = 30_000;
/** From then on it is renewed in the background, so that nobody waits who comes often: calls are verified by it. */
const RENEW_AFTER_MS = 15_000;
/** A database that did not answer is asked again after this, and nobody waits for it. */
const FAILED_FOR_MS = 1_000;

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
  let failedUntilMs: number | undefined;
  let version = 0;

  async function read(): Promise<PublicCatalog> {
    const startedVersion = version;
    const readAtMs = deps.monotonicMs();
    const [plans, meters] = await withTimeout(
      Promise.all([listPlans(deps, undefined), deps.transact.asOperator(listMeterRows)]),
      READ_TIMEOUT_MS,
    );
    const ofEvents = meters.filter(({ eventType }) => eventType !== undefined);
    const catalog = {
      plans: plans.items,
      meters: meters.map(toVisitorsMeter),
      eventMeterIds: new Set(ofEvents.map(({ meterId }) => meterId)),
    };
    // What changed while it was read is asked for again by the next visitor.
    const isCurrent = startedVersion === version;
    known = { catalog, readAtMs: isCurrent ? readAtMs : Number.NEGATIVE_INFINITY };
    return catalog;
  }

  function startReading(): Promise<PublicCatalog> {
    reading ??= read()
      .then((catalog) => {
        failedUntilMs = undefined;
        return catalog;
      })
      .catch((error: unknown) => {
        failedUntilMs = deps.monotonicMs() + FAILED_FOR_MS;
        throw error;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  return {
    get: async () => {
      if (known === undefined) {
        return await startReading();
      }
      const nowMs = deps.monotonicMs();
      const ageMs = nowMs - known.readAtMs;
      if (ageMs < AGE_MS_MAX || failedUntilMs !== undefined) {
        if (ageMs >= RENEW_AFTER_MS && nowMs >= (failedUntilMs ?? 0)) {
          startReading().catch(() => undefined);
        }
        return known.catalog;
      }
      const { catalog } = known;
      return await startReading().catch(() => catalog);
    },
    applyChange: (change) => {
      if (change.kind === "plan" || change.kind === "reset") {
        version += 1;
        known = known && { ...known, readAtMs: Number.NEGATIVE_INFINITY };
      }
    },
  };
}
