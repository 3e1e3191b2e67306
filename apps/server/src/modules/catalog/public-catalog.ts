import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { ChangeListener } from "#platform/change-feed.ts";
import { VISITORS } from "#platform/transact.ts";
import { listMeterRows } from "./catalog.store.ts";
import { toVisitorsMeter } from "./list-meters.ts";
import { listPlans } from "./list-plans.ts";

type Plans = Awaited<ReturnType<typeof listPlans>>["items"];
type Meters = ReturnType<typeof toVisitorsMeter>[];

export type PublicCatalog = {
  plans: Plans;
  meters: Meters;
  /** Meters that count events rather than calls. */
  eventMeterIds: ReadonlySet<string>;
};

/** How long visitors wait for a database that does not answer. */
const READ_TIMEOUT_MS = 2_000;
/** After this, a change without a new plan version is visible: another default plan, a meter's name. */
const AGE_MS_MAX = 30_000;
/** After this it is renewed in the background, so that no frequent caller waits: calls are verified by it. */
const RENEW_AFTER_MS = 15_000;
/** After this, a database that did not answer is asked again, in the background. */
const FAILED_FOR_MS = 1_000;

/**
 * Caches the public catalogue for pages that anyone may request any number of times: one query for all waiting callers, and
 * another after a change.
 *
 * @returns `get` returns the last known catalogue while the database is unreachable, and throws when there is none.
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
      Promise.all([listPlans(deps, undefined), deps.transact.asOperator(listMeterRows, VISITORS)]),
      READ_TIMEOUT_MS,
    );
    const ofEvents = meters.filter(({ eventType }) => eventType !== undefined);
    const catalog = {
      plans: plans.items,
      meters: meters.map(toVisitorsMeter),
      eventMeterIds: new Set(ofEvents.map(({ meterId }) => meterId)),
    };
    // If it changed while being read, the next visitor reads it again.
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
