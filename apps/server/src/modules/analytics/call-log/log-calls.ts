import { setTimeout as delay } from "node:timers/promises";
import { minuteOf } from "@turnpike/domain/time/period";
import type { CallObserver } from "#modules/gateway/index.ts";
import type { GroupObserver } from "#modules/metering/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import { toRequestTimeMs } from "../calls/request-id-bound.ts";
import { toLiveCall } from "../live/to-live-call.ts";
import type { CallLog } from "./call-log.ts";
import { CommitGate } from "./commit-gate.ts";
import { addUnloggedCalls } from "./unlogged-calls.store.ts";

/** How long calls are collected before they are written together. */
const FLUSH_MS = 1_000;
/** Calls of one write: joining their lines takes a millisecond. */
const WRITE_MAX = 5_000;
/** Calls that wait, for their commit or for the engine: some ten megabytes. Further ones are left out. */
const WAITING_MAX = 50_000;
/** The longest wait between attempts to write. */
const RETRY_MAX_MS = 10_000;
/** The database must not hold up the writing, nor the end of the process. */
const COUNTS_TIMEOUT_MS = 1_000;

type Line = { text: string; beganMs: number };

type CallLogHealth = {
  /** Calls that are not in the log yet. */
  waiting: number;
  /** Calls that this process left out since its start. */
  leftOut: number;
  /** True while the engine takes nothing. */
  isFailing: boolean;
};

/** Fills the log with the calls of this process. */
export interface CallLogger {
  readonly observer: CallObserver;
  readonly groups: GroupObserver;
  health(): CallLogHealth;
  /** Writes what waits, for at most `timeoutMs`; what is left then is counted. Once nothing is recorded any more. */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Writes every call into the log once the ledger has it. Never in the way of a call: it costs one some microseconds, what waits is
 * bounded, and what has no room is left out and counted.
 */
export function createCallLogger(
  deps: Pick<AppServices, "transact" | "logger"> & { callLog: CallLog },
): CallLogger {
  const { callLog, logger } = deps;
  const gate = new CommitGate<Line>();
  const ready: Line[] = [];
  /** By minute; not in the database yet. */
  const uncounted = new Map<number, number>();
  const ending = new AbortController();
  let flushing: Promise<void> | undefined;
  let leftOut = 0;
  let isEnsured = false;
  let isFailing = false;

  function leaveOut(lines: readonly Pick<Line, "beganMs">[]): void {
    leftOut += lines.length;
    for (const { beganMs } of lines) {
      const minuteMs = minuteOf(beganMs);
      uncounted.set(minuteMs, (uncounted.get(minuteMs) ?? 0) + 1);
    }
  }

  function flushInTime(): void {
    if (!ending.signal.aborted) {
      flushing ??= flushSoon();
    }
  }

  const see: CallObserver["see"] = (call, measure) => {
    const { tenantId, requestId, meterId, quantity, group } = call;
    if (requestId === undefined) {
      return;
    }
    const beganMs = toRequestTimeMs(requestId);
    if (ending.signal.aborted || ready.length + gate.size >= WAITING_MAX) {
      leaveOut([{ beganMs }]);
    } else {
      const shown = toLiveCall(call, measure);
      const text = callLog.toLine({ ...shown, tenantId, meterId, units: quantity });
      const line = { text, beganMs };
      const admittance = group === undefined ? "passed" : gate.add(group, line);
      if (admittance === "passed") {
        ready.push(line);
      } else if (admittance === "refused") {
        leaveOut([line]);
      }
    }
    flushInTime();
  };

  const settle: GroupObserver["settle"] = (upTo, isCommitted) => {
    const lines = gate.settle(upTo, isCommitted);
    if (isCommitted) {
      for (const line of lines) {
        ready.push(line);
      }
    } else {
      leaveOut(lines);
    }
  };

  async function ensure(): Promise<void> {
    if (!isEnsured) {
      await callLog.ensure();
      isEnsured = true;
    }
  }

  /** Writes what is ready now. @throws What the engine says; the calls stay. */
  async function write(): Promise<void> {
    while (ready.length > 0) {
      await ensure();
      const lines = ready.slice(0, WRITE_MAX);
      await callLog.add(lines.map(({ text }) => text));
      ready.splice(0, lines.length);
      if (lines.length < WRITE_MAX) {
        return;
      }
    }
  }

  async function writeOrWait(): Promise<boolean> {
    try {
      await write();
      if (isFailing) {
        logger.info("calls are logged again");
      }
      isFailing = false;
    } catch (error) {
      if (!isFailing) {
        logger.warn({ err: error }, "calls cannot be logged: they wait, and then are left out");
      }
      isFailing = true;
      // Someone may have taken the table away.
      isEnsured = false;
    }
    return !isFailing;
  }

  /** Adds what was left out to what the database knows of. Never fails: what it does not take is kept. */
  async function count(): Promise<void> {
    const counts = [...uncounted].map(([minuteMs, calls]) => ({ minuteMs, calls }));
    if (counts.length === 0) {
      return;
    }
    uncounted.clear();
    try {
      const added = deps.transact.asOperator((tx) => addUnloggedCalls(tx, counts));
      await withTimeout(added, COUNTS_TIMEOUT_MS);
    } catch (error) {
      for (const { minuteMs, calls } of counts) {
        uncounted.set(minuteMs, (uncounted.get(minuteMs) ?? 0) + calls);
      }
      logger.debug({ err: error }, "calls that are not logged could not be counted");
    }
  }

  async function flushSoon(): Promise<void> {
    let waitMs = FLUSH_MS;
    while (ready.length + gate.size + uncounted.size > 0) {
      await delay(waitMs, undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted) {
        break;
      }
      waitMs = (await writeOrWait()) ? FLUSH_MS : Math.min(RETRY_MAX_MS, waitMs * 2);
      await count();
    }
    flushing = undefined;
  }

  async function finish(): Promise<void> {
    await flushing;
    await write();
  }

  return {
    observer: { isWatching: true, see },
    groups: { settle },
    health: () => ({ waiting: ready.length + gate.size, leftOut, isFailing }),
    async stop(timeoutMs) {
      ending.abort();
      await withTimeout(finish(), timeoutMs).catch((error: unknown) => {
        logger.warn({ err: error }, "calls could not be logged before the end");
      });
      leaveOut([...ready.splice(0), ...gate.clear()]);
      await count();
    },
  };
}
