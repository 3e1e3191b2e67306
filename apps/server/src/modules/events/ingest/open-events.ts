import type { KeyId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import type { ChangeListener } from "#platform/change-feed.ts";
import { findOriginKey } from "../events.store.ts";
import { createDimensionRegistry } from "./dimension-registry.ts";
import { EventWriter } from "./event-writer.ts";
import { createMeterCache } from "./meter-cache.ts";
import { createRejectionLimit } from "./rejection-limit.ts";
import { createSubjectDirectory } from "./subject-directory.ts";
import type { TakeEventsDeps } from "./take-events.ts";

/** Cached sending keys. Beyond that they are looked up again. */
const KEYS_MAX = 50_000;

export type Events = TakeEventsDeps & {
  applyChange: ChangeListener;
  /** Resolves when the requests that are under way now are answered. */
  settle(): Promise<void>;
};

/** Creates everything that ingest needs: the writer, and caches that follow the change feed. */
export function openEvents(services: AppServices): Events {
  const meters = createMeterCache(services);
  const subjects = createSubjectDirectory({
    transact: services.transact,
    monotonicMs: services.clock.monotonicMs,
  });
  // The first key of a line never changes.
  const origins = new Map<KeyId, KeyId>();
  const underWay = new Set<Promise<unknown>>();
  return {
    underWay,
    settle: async () => {
      await Promise.allSettled(underWay);
    },
    transact: services.transact,
    clock: services.clock,
    writer: new EventWriter(services),
    meters,
    subjects,
    dimensions: createDimensionRegistry(),
    rejections: createRejectionLimit(),
    findOriginKey: async ({ tenantId, keyId }) => {
      const known = origins.get(keyId);
      if (known !== undefined) {
        return known;
      }
      const origin = await services.transact.asOperator(
        (tx) => findOriginKey(tx, { tenantId, keyId }),
        { holder: tenantId },
      );
      if (origins.size >= KEYS_MAX) {
        origins.clear();
      }
      origins.set(keyId, origin ?? keyId);
      return origin ?? keyId;
    },
    applyChange: (change) => {
      meters.applyChange(change);
      subjects.applyChange(change);
    },
  };
}
