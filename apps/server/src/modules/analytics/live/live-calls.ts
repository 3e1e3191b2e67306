import { setTimeout as delay } from "node:timers/promises";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import type { CallObserver } from "#modules/gateway/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { createBell, waitFor, withTimeout } from "#platform/bounded-wait.ts";
import { insertChange } from "#platform/changes.store.ts";
import type { Listen } from "#platform/postgres-listen.ts";
import type { ChangeSource } from "../analytics.ports.ts";
import { notifyLiveCalls } from "./live-calls.store.ts";
import { LiveOutbox, parseLiveMessage } from "./live-outbox.ts";
import { LiveWatch } from "./live-watch.ts";
import type { LiveFilters } from "./match-live-call.ts";
import { toLiveCall } from "./to-live-call.ts";

/** How often a process with readers says so, and how long the other processes believe it. */
const RENEW_MS = 10_000;
const INTEREST_MS = 25_000;
/** How long calls are collected before they are published to other processes. */
const FLUSH_MS = 200;
/** A database that does not answer must not block the outbox for ever. */
const DATABASE_TIMEOUT_MS = 2_000;
const RETRY_MS = 1_000;

/** Shows live calls of all processes to readers. */
export interface LiveCalls {
  readonly observer: CallObserver;
  /** True when calls of other processes arrive too; undefined until that is known. */
  isWhole(): boolean | undefined;
  /** Starts a watch. @returns The calls, and what ends the watch. */
  watch(
    tenantId: TenantId,
    filters: LiveFilters,
    wake: () => void,
  ): { calls: Pick<LiveWatch, "take">; end(): void };
}

export type LiveCallsDeps = Pick<AppServices, "transact" | "clock" | "logger"> & {
  changes: ChangeSource;
  /** Subscribes to {@link LIVE_CALLS_CHANNEL}. */
  listen: Listen;
  /** Of this process or thread, which ignores its own messages. */
  processId: string;
  /** Aborted when the process drains. */
  shutdown: AbortSignal;
};

type Seen = Parameters<CallObserver["see"]>;

/**
 * A process with readers of a tenant says so in the change feed, which every process reads anyway. For half a minute, processes
 * that serve a call of that tenant publish it, in bounded batches that the database carries and nothing stores. Without readers,
 * each call costs one check.
 */
export function createLiveCalls(deps: LiveCallsDeps): LiveCalls {
  const { clock, logger, processId } = deps;
  const watches = new Map<TenantId, Set<LiveWatch>>();
  /** Until when other processes have readers of a tenant, by the monotonic clock. */
  const interests = new Map<TenantId, number>();
  /** When our interest in a tenant was last published, by the monotonic clock. */
  const announced = new Map<TenantId, number>();
  const outbox = new LiveOutbox();
  const signal = deps.shutdown;
  const wanted = createBell();
  let isFlushing = false;
  let isFollowing = false;
  let isListening: boolean | undefined;

  deps.changes.subscribe((change) => {
    if (change.kind !== "tail" || !("entityId" in change) || change.entityId === processId) {
      return;
    }
    if (change.tenantId !== null && isId("tenant", change.tenantId)) {
      const nowMs = clock.monotonicMs();
      interests.set(change.tenantId, nowMs + INTEREST_MS);
      forgetInterests(nowMs);
    }
  });

  function forgetInterests(nowMs: number): void {
    for (const [tenantId, untilMs] of interests) {
      if (untilMs <= nowMs) {
        interests.delete(tenantId);
      }
    }
  }

  function see(...seen: Seen): void {
    const { tenantId } = seen[0];
    const watching = watches.get(tenantId);
    const untilMs = interests.get(tenantId);
    if (watching === undefined && untilMs === undefined) {
      return;
    }
    const call = toLiveCall(...seen);
    for (const watch of watching ?? []) {
      watch.offer(call);
    }
    if (untilMs === undefined) {
      return;
    }
    const nowMs = clock.monotonicMs();
    if (untilMs <= nowMs) {
      forgetInterests(nowMs);
    } else {
      outbox.add(tenantId, call);
      ensureFlush();
    }
  }

  function ensureFlush(): void {
    if (!isFlushing && !signal.aborted) {
      isFlushing = true;
      void flush();
    }
  }

  async function flush(): Promise<void> {
    await delay(FLUSH_MS, undefined, { signal }).catch(() => undefined);
    const { payloads, counts } = outbox.take(processId);
    try {
      await withTimeout(
        deps.transact.asOperator((tx) => notifyLiveCalls(tx, payloads)),
        DATABASE_TIMEOUT_MS,
      );
    } catch (error) {
      outbox.miss(counts);
      logger.debug({ err: error }, "Live calls could not be published to other processes");
    }
    isFlushing = false;
    if (!outbox.isEmpty && interests.size > 0) {
      ensureFlush();
    }
  }

  function receive(payload: string): void {
    const message = parseLiveMessage(payload);
    if (message === undefined || message.processId === processId) {
      return;
    }
    for (const watch of watches.get(message.tenantId) ?? []) {
      for (const call of message.calls) {
        watch.offer(call);
      }
      if (message.dropped > 0) {
        watch.miss(message.dropped);
      }
    }
  }

  /** Publishes our interest in tenants where the last time is more than ten seconds ago. @returns When to do so again. */
  async function announce(): Promise<number> {
    const nowMs = clock.monotonicMs();
    for (const [tenantId, atMs] of announced) {
      if (nowMs - atMs >= RENEW_MS) {
        announced.delete(tenantId);
      }
    }
    const due = [...watches.keys()].filter((tenantId) => !announced.has(tenantId));
    if (due.length > 0) {
      const tell = deps.transact.asOperator(async (tx) => {
        for (const tenantId of due) {
          await insertChange(tx, { kind: "tail", tenantId, entityId: processId });
        }
      });
      await withTimeout(tell, DATABASE_TIMEOUT_MS);
      due.forEach((tenantId) => void announced.set(tenantId, nowMs));
    }
    return Math.min(nowMs, ...announced.values()) + RENEW_MS;
  }

  function tellListening(is: boolean): void {
    if (isListening !== is) {
      isListening = is;
      for (const ofTenant of watches.values()) {
        ofTenant.forEach((watch) => void watch.wake());
      }
    }
  }

  /** Listens to other processes and publishes our interest, as long as there are readers here. */
  async function follow(): Promise<void> {
    let subscription: { close(): Promise<void> } | undefined;
    while (watches.size > 0 && !signal.aborted) {
      const heard = wanted.next();
      let timeoutMs = RETRY_MS;
      try {
        subscription ??= await withTimeout(deps.listen(receive), DATABASE_TIMEOUT_MS, (late) =>
          late.close(),
        );
        timeoutMs = Math.max(0, (await announce()) - clock.monotonicMs());
        tellListening(true);
      } catch (error) {
        logger.warn({ err: error }, "live calls of other processes are not heard");
        tellListening(false);
      }
      await waitFor({ heard, timeoutMs, signal });
    }
    isListening = undefined;
    await subscription?.close().catch(() => undefined);
    isFollowing = false;
    ensureFollowing();
  }

  function ensureFollowing(): void {
    if (!isFollowing && watches.size > 0 && !signal.aborted) {
      isFollowing = true;
      void follow();
    }
  }

  return {
    observer: {
      get isWatching() {
        return watches.size > 0 || interests.size > 0;
      },
      see,
    },
    isWhole: () => isListening && deps.changes.isWokenUp(),
    watch(tenantId, filters, wake) {
      const watch = new LiveWatch(filters, wake);
      const ofTenant = watches.get(tenantId) ?? new Set();
      watches.set(tenantId, ofTenant.add(watch));
      ensureFollowing();
      wanted.ring();
      return {
        calls: watch,
        end() {
          ofTenant.delete(watch);
          if (ofTenant.size === 0 && watches.get(tenantId) === ofTenant) {
            watches.delete(tenantId);
          }
          if (watches.size === 0) {
            wanted.ring();
          }
        },
      };
    },
  };
}
