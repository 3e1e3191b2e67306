import { setTimeout as delay } from "node:timers/promises";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { minuteOf } from "@turnpike/domain/time/period";
import type { CallObserver } from "#modules/gateway/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import { toLiveCall } from "../live/to-live-call.ts";
import { CallBudget } from "./call-budget.ts";
import { addOmittedCalls, insertCalls, type KeptCall } from "./recent-calls.store.ts";

/** How long calls are collected before they are written together. */
const FLUSH_MS = 1_000;
/** Calls of one write: some ten milliseconds of the database. */
const WRITE_MAX = 1_000;
/** Calls that wait while the database does not take them; further ones are omitted. */
const WAITING_MAX = 5_000;
/** A database that does not answer must not hold the collector for ever, nor the end of the process. */
const DATABASE_TIMEOUT_MS = 5_000;

export interface RecentCalls {
  readonly observer: CallObserver;
  /** True when all calls of a tenant so far are written. */
  isSettled(tenantId: TenantId): boolean;
  /** Writes what waits. Calls that end later are not kept. */
  stop(): Promise<void>;
}

/**
 * Keeps calls as they were, so that people find one of them. It serves people and no number, so it may leave some out: of each
 * minute a bounded number of a tenant, and of all tenants. What is left out is counted.
 */
export function createRecentCalls(
  deps: Pick<AppServices, "transact" | "clock" | "logger">,
): RecentCalls {
  const { clock, logger } = deps;
  const budget = new CallBudget();
  const waiting: KeptCall[] = [];
  /** By minute and tenant. */
  const omitted = new Map<number, Map<TenantId, number>>();
  const ending = new AbortController();
  let flushing: Promise<void> | undefined;
  let isWriting = false;

  function omit(tenantId: TenantId, minuteMs: number, calls: number): void {
    const ofMinute = omitted.get(minuteMs) ?? new Map<TenantId, number>();
    omitted.set(minuteMs, ofMinute.set(tenantId, (ofMinute.get(tenantId) ?? 0) + calls));
  }

  const see: CallObserver["see"] = (call, measure) => {
    if (call.requestId === undefined || ending.signal.aborted) {
      return;
    }
    const { tenantId } = call;
    const minuteMs = minuteOf(clock.now().getTime());
    if (waiting.length < WAITING_MAX && budget.take(call, minuteMs)) {
      const shown = toLiveCall(call, measure);
      waiting.push({ ...shown, tenantId, meterId: call.meterId, units: call.quantity });
    } else {
      omit(tenantId, minuteMs, 1);
    }
    flushing ??= flushSoon();
  };

  async function write(): Promise<void> {
    const calls = waiting.slice(0, WRITE_MAX);
    const counts = [...omitted].flatMap(([minuteMs, ofMinute]) =>
      [...ofMinute].map(([tenantId, omittedCalls]) => ({
        tenantId,
        minuteMs,
        calls: omittedCalls,
      })),
    );
    omitted.clear();
    isWriting = true;
    try {
      const written = deps.transact.asMeter(async (tx) => {
        if (calls.length > 0) {
          await insertCalls(tx, calls);
        }
        if (counts.length > 0) {
          await addOmittedCalls(tx, counts);
        }
      });
      await withTimeout(written, DATABASE_TIMEOUT_MS);
      waiting.splice(0, calls.length);
    } catch (error) {
      counts.forEach(({ tenantId, minuteMs, calls: count }) => {
        omit(tenantId, minuteMs, count);
      });
      logger.debug({ err: error }, "Recent calls could not be written");
      throw error;
    } finally {
      isWriting = false;
    }
  }

  async function flushSoon(): Promise<void> {
    while (waiting.length > 0 || omitted.size > 0) {
      await delay(FLUSH_MS, undefined, { signal: ending.signal }).catch(() => undefined);
      await write().catch(() => undefined);
      if (ending.signal.aborted) {
        break;
      }
    }
    flushing = undefined;
  }

  return {
    observer: { isWatching: true, see },
    isSettled: (tenantId) =>
      !isWriting &&
      !waiting.some((call) => call.tenantId === tenantId) &&
      ![...omitted.values()].some((ofMinute) => ofMinute.has(tenantId)),
    async stop() {
      ending.abort();
      await flushing;
      while (waiting.length > 0) {
        try {
          await write();
        } catch {
          logger.warn({ calls: waiting.length }, "Recent calls are lost: they cannot be written");
          return;
        }
      }
    },
  };
}
