import type { MeterDefinition } from "@turnpike/domain/catalog/meter";
import { type CompiledMeter, compileMeter } from "@turnpike/domain/events/measure-event";
import { listMeterRows } from "#modules/catalog/index.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { ChangeListener } from "#platform/change-feed.ts";
import type { Transact } from "#platform/transact.ts";

/** The current meters that count events. */
export type EventMeters = {
  /** Goes up with each change of any of them. */
  revision: bigint;
  byType: ReadonlyMap<string, readonly CompiledMeter[]>;
};

export type MeterCache = {
  /** Answers from memory unless a meter has changed. */
  get(): Promise<EventMeters>;
  /** Marks the last answer as out of date. */
  forget(): void;
  applyChange: ChangeListener;
};

const READ_TIMEOUT_MS = 5_000;

type VersionedMeter = MeterDefinition & { version: number };

function compile(meters: readonly VersionedMeter[]): EventMeters {
  const byType = new Map<string, CompiledMeter[]>();
  let revision = 0n;
  for (const meter of meters) {
    if (meter.eventType !== undefined) {
      revision += BigInt(meter.version);
      const compiled = byType.get(meter.eventType) ?? [];
      compiled.push(compileMeter(meter, meter.version));
      byType.set(meter.eventType, compiled);
    }
  }
  return { revision, byType };
}

/**
 * Caches the meters that count events. Each write of events names the revision that measured them, and the database answers if
 * that is no longer current. So no event is counted by a version that was replaced before the event arrived.
 */
export function createMeterCache(deps: { transact: Transact }): MeterCache {
  let known: EventMeters | undefined;
  let reading: Promise<EventMeters> | undefined;
  let changes = 0;

  async function read(): Promise<EventMeters> {
    const before = changes;
    const rows = await withTimeout(deps.transact.asOperator(listMeterRows), READ_TIMEOUT_MS);
    const meters = compile(rows);
    if (before === changes) {
      known = meters;
    }
    return meters;
  }

  function forget(): void {
    changes += 1;
    known = undefined;
    reading = undefined;
  }

  return {
    get: async () => {
      if (known !== undefined) {
        return known;
      }
      reading ??= read();
      const started = reading;
      try {
        return await started;
      } finally {
        if (reading === started) {
          reading = undefined;
        }
      }
    },
    forget,
    applyChange: (change) => {
      if (change.kind === "plan" || change.kind === "reset") {
        forget();
      }
    },
  };
}
