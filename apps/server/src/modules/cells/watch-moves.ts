import { setTimeout as delay } from "node:timers/promises";
import type { ErrorCode } from "@turnpike/domain/errors/error-codes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import type { Change } from "#platform/change-feed.ts";
import { insertMovingStop, listMovingTenantIds, updateHeard } from "./moving-tenants.store.ts";

export type MoveWatchDeps = Pick<AppServices, "transact" | "clock" | "logger"> & {
  /** This process, as it meters. */
  processId: string;
  /** Up to which change this process has heard. */
  heardRevision(): bigint;
  /** Calls under way. */
  openCalls: {
    hasCallsOf(tenantId: TenantId): boolean;
    cutCallsOf(tenantId: TenantId, why: { code: ErrorCode; detail: string }): void;
  };
  /** Commits what calls used and gives leases back. @returns False when something is left. */
  finishTenant(tenantId: TenantId): Promise<boolean>;
  /** How long a decision that has begun may take, milliseconds: it may still admit a call. */
  decisionMs: number;
};

export interface MoveWatch {
  /** Subscribe it after what forgets the terms of tenants. */
  applyChange(change: Change): void;
  /** Finds the moves that began before this process. */
  start(): void;
  stop(): void;
}

/** How long calls under way may take to end by themselves; a longer move is worse for everyone else. */
const CALLS_END_MS = 10_000;
const LOOK_INTERVAL_MS = 100;
const RETRY_MS = 1_000;

/**
 * Stops serving tenants that move, and says so in the database: once their calls under way are over, what those used is committed, and
 * nothing is leased to them. Says there, too, that it has heard of a tenant that arrives.
 */
export function createMoveWatch(deps: MoveWatchDeps): MoveWatch {
  const { transact, clock, logger, openCalls, processId } = deps;
  const stopping = new Set<TenantId>();
  let moving: ReadonlySet<TenantId> = new Set();
  let looking: Promise<void> | undefined;
  let looksAgain = false;
  let isEnded = false;

  async function stopServing(tenantId: TenantId): Promise<void> {
    await delay(deps.decisionMs);
    const cutAtMs = clock.monotonicMs() + CALLS_END_MS;
    while (!isEnded && moving.has(tenantId)) {
      if (!openCalls.hasCallsOf(tenantId)) {
        if (await deps.finishTenant(tenantId)) {
          await transact.asOperator((tx) => insertMovingStop(tx, { tenantId, processId }));
          return;
        }
      } else if (clock.monotonicMs() > cutAtMs) {
        openCalls.cutCallsOf(tenantId, {
          code: "TENANT_MOVING",
          detail: "The account of this API key is being moved. Try again in a moment.",
        });
      }
      await delay(LOOK_INTERVAL_MS);
    }
  }

  async function stopUntilDone(tenantId: TenantId): Promise<void> {
    stopping.add(tenantId);
    try {
      await stopServing(tenantId);
    } catch (error) {
      // The move waits for this process, or is given up.
      logger.warn({ err: error, tenantId }, "a tenant that moves could not be let go yet");
      await delay(RETRY_MS);
    }
    stopping.delete(tenantId);
    // It may have been tried in vain, or the move have begun anew.
    look();
  }

  async function lookOnce(): Promise<void> {
    const revision = deps.heardRevision();
    const tenantIds = await transact.asOperator(async (tx) => {
      await updateHeard(tx, { processId, revision });
      return await listMovingTenantIds(tx, processId);
    });
    moving = new Set(tenantIds);
    for (const tenantId of moving) {
      if (!stopping.has(tenantId)) {
        void stopUntilDone(tenantId);
      }
    }
  }

  function look(): void {
    if (isEnded) {
      return;
    }
    if (looking !== undefined) {
      looksAgain = true;
      return;
    }
    looking = lookOnce()
      .catch(async (error: unknown) => {
        logger.debug({ err: error }, "the tenants that move could not be read");
        await delay(RETRY_MS);
        looksAgain = true;
      })
      .then(() => {
        looking = undefined;
        if (looksAgain) {
          looksAgain = false;
          look();
        }
      });
  }

  return {
    applyChange: (change) => {
      if (change.kind === "tenant" || change.kind === "reset") {
        look();
      }
    },
    start: look,
    stop: () => {
      isEnded = true;
    },
  };
}
