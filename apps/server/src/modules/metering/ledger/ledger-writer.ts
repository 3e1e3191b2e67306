import { setTimeout as delay } from "node:timers/promises";
import { isDataError } from "@turnpike/db/database-errors";
import type { ProcessId } from "@turnpike/domain/ids/ids";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import { type CommitPace, CommitPacer } from "./commit-pace.ts";
import type { StoredGroup, UsageGroup } from "./usage-group.ts";
import { UnreadableGroupError, type WaitingGroup, type WaitingGroups } from "./waiting-groups.ts";

export type LedgerWriterDeps = {
  /** Writes groups to the ledger at a pace that leaves calls their time; safe to repeat. */
  commit(groups: readonly StoredGroup[], pace: CommitPace): Promise<unknown>;
  /** Keeps a group that the database refuses for a reason that a retry does not change. */
  setAside(group: UsageGroup, reason: unknown): Promise<void>;
  /** Called when a group cannot be read back from the journal, so that its contents are unknown. */
  onUnreadable?: () => void;
  processId: ProcessId;
  clock: Pick<Clock, "monotonicMs">;
  /** Lets time go by; rejects at once when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>;
  logger: Logger;
};

const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 1_000;
/** How often a refusal that is no outage is retried before the group is set aside. */
const REFUSALS_MAX = 5;

/** Commits waiting groups to the ledger, one batch after the other, and sets aside those that the database will never take. */
export class LedgerWriter {
  readonly #deps: LedgerWriterDeps;
  readonly #waiting: WaitingGroups;
  readonly #retryMaxMs: number;
  readonly #pacer: CommitPacer;
  /** Settles with the next attempt to commit, however it ends. */
  #attempted = Promise.withResolvers<void>();
  #committing: Promise<void> | undefined;
  #isStopped = false;
  #groupsSetAside = 0;
  #trouble: string | undefined;

  /** @param retryMaxMs - The longest wait between attempts to commit; a second when left out. */
  constructor(
    deps: LedgerWriterDeps,
    { waiting, retryMaxMs = RETRY_MAX_MS }: { waiting: WaitingGroups; retryMaxMs?: number },
  ) {
    this.#deps = deps;
    this.#waiting = waiting;
    this.#retryMaxMs = retryMaxMs;
    this.#pacer = new CommitPacer(deps);
  }

  get groupsSetAside(): number {
    return this.#groupsSetAside;
  }

  /** Why the database refuses; undefined when it does not. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get isCommitting(): boolean {
    return this.#committing !== undefined;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Resolves with the next attempt to commit, however it ends. */
  whenAttempted(): Promise<void> {
    return this.#attempted.promise;
  }

  /** Goes on until nothing waits. Called whenever a group has come. */
  start(): void {
    if (!this.#isStopped) {
      this.#committing ??= this.#commitWaiting();
    }
  }

  /** Commits nothing more: what waits stays in the journal. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Runs something that waits for the commit under way, or for rows that it has locked. Commits make no pauses meanwhile. */
  hurry<Result>(wait: () => Promise<Result>): Promise<Result> {
    return this.#pacer.hurry(wait);
  }

  async #commit(batch: readonly WaitingGroup[]): Promise<void> {
    const { processId } = this.#deps;
    const batchNumber = batch[0]?.batch ?? 0;
    const groups = batch.map((group) => ({
      groupId: group.groupId,
      processId,
      recordedAtMs: null,
      read: () => this.#waiting.read(group),
    }));
    const pace = this.#pacer.createPace(() => this.#waiting.isBehind(batchNumber));
    await this.#pacer.time(() => this.#deps.commit(groups, pace));
  }

  /** Never rejects: what fails is tried again until nothing waits or the process ends. */
  async #commitWaiting(): Promise<void> {
    let retryMs = RETRY_FIRST_MS;
    let refusals = 0;
    let groupsMax = Infinity;
    while (this.#waiting.length > 0 && !this.#isStopped) {
      // Nothing can join a batch that is not the current one any more.
      await this.#pacer.waitForNextCommit(this.#waiting.isNextComplete);
      const batch = this.#waiting.nextBatch(groupsMax);
      try {
        await this.#commit(batch);
        this.#waiting.settle(batch, true);
        retryMs = RETRY_FIRST_MS;
        refusals = 0;
        groupsMax *= 2;
        this.#trouble = undefined;
      } catch (error) {
        const isRefused = this.#isRefusal(error);
        // Fewer at a time: that finds a group that cannot be written, and makes a commit that took too long shorter.
        groupsMax = Math.ceil(batch.length / 2);
        if (batch.length === 1 || !isRefused) {
          refusals += isRefused ? 1 : 0;
          if (isRefused && refusals > REFUSALS_MAX && (await this.#isSetAside(batch, error))) {
            refusals = 0;
          }
          await delay(retryMs);
          retryMs = Math.min(this.#retryMaxMs, retryMs * 2);
        }
      }
      this.#settleAttempt();
    }
    // Without an await since the last check of what waits: a group that comes now starts a new loop.
    this.#committing = undefined;
    this.#settleAttempt();
  }

  #settleAttempt(): void {
    this.#attempted.resolve();
    this.#attempted = Promise.withResolvers();
  }

  #isRefusal(error: unknown): boolean {
    if (error instanceof UnreadableGroupError) {
      this.#recordTrouble("The journal cannot be read", error);
      return true;
    }
    this.#recordTrouble("The ledger cannot be written", error);
    return isDataError(error);
  }

  #recordTrouble(what: string, error: unknown): void {
    if (this.#trouble === undefined) {
      this.#deps.logger.error({ err: error }, what);
    }
    this.#trouble = what;
  }

  /** Sets a batch aside, so that the others can be committed. @returns False when that fails too, such as on a full disk. */
  async #isSetAside(batch: readonly WaitingGroup[], reason: unknown): Promise<boolean> {
    if (reason instanceof UnreadableGroupError) {
      // The segment is not released: the next start finds it and keeps what is damaged for a person to inspect.
      this.#deps.logger.error({ err: reason }, "A group stays in the journal");
      this.#deps.onUnreadable?.();
      this.#waiting.forget(batch, false);
      this.#groupsSetAside += batch.length;
      return true;
    }
    try {
      for (const group of batch) {
        await this.#deps.setAside(this.#waiting.read(group), reason);
      }
    } catch (error) {
      this.#deps.logger.error({ err: error }, "A group cannot be set aside");
      return false;
    }
    this.#groupsSetAside += batch.length;
    this.#waiting.settle(batch, false);
    return true;
  }
}
