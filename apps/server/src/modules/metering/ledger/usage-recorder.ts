import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import { isDataError } from "@turnpike/db/database-errors";
import type { GroupId, NewId, ProcessId } from "@turnpike/domain/ids/ids";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Clock } from "#platform/clock.ts";
import type { Journal, JournalPosition } from "#platform/journal.ts";
import type { Logger } from "#platform/logger.ts";
import { type CommitPace, CommitPacer } from "./commit-pace.ts";
import { CommitSize } from "./commit-size.ts";
import { decodeGroup, encodeGroup } from "./group-record.ts";
import {
  type CallMeasure,
  GroupBuilder,
  type GroupObserver,
  type MeteredCall,
  type StoredGroup,
  type UsageGroup,
} from "./usage-group.ts";

export type UsageRecorderDeps = {
  journal: Journal;
  /** Writes groups to the ledger at a pace that leaves calls their time; safe to repeat. */
  commit(groups: readonly StoredGroup[], pace: CommitPace): Promise<unknown>;
  /** Keeps a group that the database refuses for a reason that a retry does not change. */
  setAside(group: UsageGroup, reason: unknown): Promise<void>;
  /** Called when a group cannot be read back from the journal, so that its contents are unknown. */
  onUnreadable?: () => void;
  newId: NewId;
  processId: ProcessId;
  clock: Pick<Clock, "monotonicMs">;
  /** Lets time go by; rejects at once when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>;
  logger: Logger;
};

export type UsageRecorderOptions = {
  /** How long a group is filled, milliseconds. A crash loses at most this much. */
  groupIntervalMs: number;
  /** Groups that may wait for the database before new calls are refused. All are in the journal, few in memory. */
  groupsWaitingMax: number;
  /** The same in bytes of the journal. */
  bytesWaitingMax: number;
  /** Bytes of waiting groups that stay in memory; further groups are read back from the journal. */
  bytesInMemoryMax: number;
  /**
   * `strict`: no call is answered before its usage is on disk, so none is let through while the disk refuses writes. `cluster`: the
   * same with the ledger.
   */
  durability?: "grouped" | "strict" | "cluster";
  /** The longest wait between attempts to commit; a second when left out. */
  retryMaxMs?: number;
};

type Waiting = {
  groupId: GroupId;
  position: JournalPosition | undefined;
  /**
   * The group as the journal has it; undefined when it is to be read back from there. Waiting groups are not kept as objects:
   * those would survive one garbage collection after another and make later ones long.
   */
  record: Buffer | undefined;
  /** Size of the record. */
  bytes: number;
  calls: number;
  /** Groups with the same number are committed together. */
  batch: number;
};

/** A group with this many entries is closed early: encoding it keeps calls waiting for well below a millisecond. */
const GROUP_ENTRIES = 256;
/** Groups that may wait in memory alone while the disk refuses them. Then further calls are refused. */
const GROUPS_UNJOURNALED_MAX = 1_000;
/** An answer that waits for its commit waits no longer: the ledger is away or far behind. */
const COMMITTED_WITHIN_MS = 10_000;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 1_000;
/** How often a refusal that is no outage is retried before the group is set aside. */
const REFUSALS_MAX = 5;

class UnreadableGroupError extends Error {
  override readonly name = "UnreadableGroupError";
}

class UncommittedError extends Error {
  override readonly name = "UncommittedError";
}

export type RecorderHealth = {
  groupsWaiting: number;
  groupsSetAside: number;
  /** Calls that are recorded and not committed. */
  callsWaiting: number;
  /** Why the journal or the database refuses; undefined when neither does. */
  trouble: string | undefined;
};

/**
 * Turns metered calls into committed ledger entries. Calls fill a group, a full group is appended to the journal, and journaled
 * groups are committed in order. The journal survives a crash and an outage of the database, and a group's id makes its replay
 * idempotent. So only the group being filled can be lost, and nothing is counted twice.
 */
export class UsageRecorder {
  readonly #deps: UsageRecorderDeps;
  readonly #options: UsageRecorderOptions;
  #builder = new GroupBuilder();
  #timer: NodeJS.Timeout | undefined;
  #closing: NodeJS.Immediate | undefined;
  #journaled = Promise.withResolvers<void>();
  readonly #waiting: Waiting[] = [];
  /** Of the group being filled. */
  #calls = 0;
  #callsWaiting = 0;
  #bytesInMemory = 0;
  #bytesWaiting = 0;
  /** The batch that the next group joins, with its size so far. */
  #batch = { number: 0, size: new CommitSize() };
  /** Groups closed so far, and how many of them no longer wait. */
  #closed = 0;
  #gone = 0;
  readonly #observers: GroupObserver[] = [];
  /** Settles with the next attempt to commit, however it ends. */
  #attempted = Promise.withResolvers<void>();
  /** Waiting groups that the disk refused: they are in memory alone. */
  #waitingUnjournaled = 0;
  #committing: Promise<void> | undefined;
  #isStopped = false;
  #isEnding = false;
  readonly #pacer: CommitPacer;
  #groupsSetAside = 0;
  /** Kept apart: the ledger takes groups while the journal refuses them, and the other way round. */
  readonly #troubles: { journal?: string | undefined; ledger?: string | undefined } = {};

  constructor(deps: UsageRecorderDeps, options: UsageRecorderOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#pacer = new CommitPacer(deps);
    // A rejection must not end the process when no answer waits for it.
    this.#journaled.promise.catch(() => undefined);
  }

  /** Number of the group being filled, from 1: what is recorded now is in it. */
  get openGroup(): number {
    return this.#closed + 1;
  }

  /** Tells of every group that is committed or set aside from now on. */
  observe(observer: GroupObserver): void {
    this.#observers.push(observer);
  }

  /** Adds a call to the group being filled. Never waits, never fails. */
  record(call: MeteredCall): void {
    this.#builder.add(call);
    this.#calls += 1;
    this.#closeGroupSoon();
  }

  /** Adds the measure of a call that was recorded before. Never waits, never fails; does nothing once drained. */
  recordMeasure(call: MeteredCall, measure: CallMeasure): void {
    if (this.#isEnding) {
      return;
    }
    this.#builder.addMeasure(call, measure);
    this.#closeGroupSoon();
  }

  #closeGroupSoon(): void {
    this.#timer ??= setTimeout(() => this.#closeGroup(), this.#options.groupIntervalMs);
    if (this.#builder.size >= GROUP_ENTRIES) {
      // Not at once: the caller may ask next when this very group is in the journal.
      this.#closing ??= setImmediate(() => this.#closeGroup());
    }
  }

  /** Resolves when the group being filled is on disk; rejects when the disk refuses it. For `durability: strict`. */
  whenJournaled(): Promise<void> {
    return this.#builder.size === 0 ? Promise.resolve() : this.#journaled.promise;
  }

  /**
   * Resolves when everything recorded so far is in the ledger or set aside. For `durability: cluster`.
   *
   * @throws {UncommittedError} When that takes more than ten seconds, or the recorder stopped first.
   */
  async whenCommitted(): Promise<void> {
    const last = this.#closed + (this.#builder.size === 0 ? 0 : 1);
    const waiting = this.hurry(async () => {
      while (this.#gone < last) {
        if (this.#isStopped) {
          throw new UncommittedError("Usage waits in the journal for the next start.");
        }
        await this.#attempted.promise;
      }
    });
    await withTimeout(waiting, COMMITTED_WITHIN_MS);
  }

  /** True when new calls should be refused: too much waits for the database, or the disk refuses what must be on it. */
  get isSaturated(): boolean {
    return (
      (this.#options.durability === "strict" && this.#troubles.journal !== undefined) ||
      (this.#options.durability === "cluster" && this.#troubles.ledger !== undefined) ||
      this.#waiting.length >= this.#options.groupsWaitingMax ||
      this.#bytesWaiting >= this.#options.bytesWaitingMax ||
      this.#waitingUnjournaled >= GROUPS_UNJOURNALED_MAX
    );
  }

  get health(): RecorderHealth {
    return {
      groupsWaiting: this.#waiting.length,
      groupsSetAside: this.#groupsSetAside,
      callsWaiting: this.#callsWaiting + this.#calls,
      trouble: this.#troubles.journal ?? this.#troubles.ledger,
    };
  }

  #closeGroup(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#closing);
    this.#timer = undefined;
    this.#closing = undefined;
    if (this.#builder.size === 0) {
      return;
    }
    const group = this.#build(this.#builder);
    const journaled = this.#journaled;
    this.#builder = new GroupBuilder();
    this.#journaled = Promise.withResolvers<void>();
    this.#journaled.promise.catch(() => undefined);
    this.#enqueue(group, journaled);
  }

  #build(builder: GroupBuilder): UsageGroup {
    return builder.build({
      groupId: this.#deps.newId("group"),
      processId: this.#deps.processId,
      recordedAtMs: null,
    });
  }

  /** Writes to the journal and records whether it accepts writes. */
  #append(record: Buffer): ReturnType<Journal["append"]> {
    // A sync of what was written before the disk refused proves nothing.
    const isTrial = this.#troubles.journal !== undefined;
    const refuse = (error: unknown) =>
      this.#recordTrouble("journal", "The journal cannot be written", error);
    try {
      const written = this.#deps.journal.append(record);
      written.durable.then(() => {
        if (isTrial) {
          this.#troubles.journal = undefined;
        }
      }, refuse);
      return written;
    } catch (error) {
      refuse(error);
      throw error;
    }
  }

  /** Tries a journal that refused with an empty group. While calls are refused, no other group comes. */
  retryJournal(): void {
    if (this.#troubles.journal === undefined) {
      return;
    }
    try {
      const { position, durable } = this.#append(encodeGroup(this.#build(new GroupBuilder())));
      const release = () => this.#deps.journal.release(position);
      durable.then(release, release);
    } catch {
      // Recorded already.
    }
  }

  #enqueue(group: UsageGroup, journaled: PromiseWithResolvers<void>): void {
    const record = encodeGroup(group);
    let position: JournalPosition | undefined;
    try {
      const written = this.#append(record);
      written.durable.then(journaled.resolve, journaled.reject);
      position = written.position;
    } catch (error) {
      // A full disk: the group stays in memory and goes straight to the database.
      journaled.reject(error);
      this.#waitingUnjournaled += 1;
    }
    const isKept = position === undefined || this.#bytesInMemory < this.#options.bytesInMemoryMax;
    this.#bytesInMemory += isKept ? record.length : 0;
    this.#bytesWaiting += record.length;
    this.#closed += 1;
    const batch = this.#joinBatch(group);
    this.#waiting.push({
      groupId: group.groupId,
      position,
      record: isKept ? record : undefined,
      bytes: record.length,
      calls: this.#calls,
      batch,
    });
    this.#callsWaiting += this.#calls;
    this.#calls = 0;
    if (!this.#isStopped) {
      this.#committing ??= this.#commitWaiting();
    }
  }

  #joinBatch(group: UsageGroup): number {
    if (this.#batch.size.isFull) {
      this.#startBatch();
    }
    this.#batch.size.add(group.entries);
    return this.#batch.number;
  }

  #startBatch(): void {
    this.#batch = { number: this.#batch.number + 1, size: new CommitSize() };
  }

  /** The groups to commit next, of one batch. */
  #nextBatch(groupsMax: number): Waiting[] {
    const [first] = this.#waiting;
    if (first?.batch === this.#batch.number) {
      // Groups that come while it is written join the next batch.
      this.#startBatch();
    }
    const other = this.#waiting.findIndex((item) => item.batch !== first?.batch);
    return this.#waiting.slice(0, Math.min(groupsMax, other === -1 ? Infinity : other));
  }

  #recordTrouble(of: "journal" | "ledger", what: string, error: unknown): void {
    if (this.#troubles[of] === undefined) {
      this.#deps.logger.error({ err: error }, what);
    }
    this.#troubles[of] = what;
  }

  #read(item: Waiting): UsageGroup {
    if (item.record !== undefined) {
      return decodeGroup(item.record);
    }
    if (item.position === undefined) {
      throw new Error("A waiting group is neither in memory nor in the journal.");
    }
    try {
      return decodeGroup(this.#deps.journal.read(item.position));
    } catch (error) {
      throw new UnreadableGroupError("A group cannot be read back from the journal.", {
        cause: error,
      });
    }
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const { processId } = this.#deps;
    const batchNumber = batch[0]?.batch ?? 0;
    const groups = batch.map((item) => ({
      groupId: item.groupId,
      processId,
      recordedAtMs: null,
      read: () => this.#read(item),
    }));
    const pace = this.#pacer.createPace(() => this.#batch.number > batchNumber + 1);
    await this.#pacer.time(() => this.#deps.commit(groups, pace));
  }

  /** Never rejects: what fails is tried again until nothing waits or the process ends. */
  async #commitWaiting(): Promise<void> {
    const { retryMaxMs = RETRY_MAX_MS } = this.#options;
    let retryMs = RETRY_FIRST_MS;
    let refusals = 0;
    let groupsMax = Infinity;
    while (this.#waiting.length > 0 && !this.#isStopped) {
      // Nothing can join a batch that is not the current one any more.
      await this.#pacer.waitForNextCommit(this.#waiting[0]?.batch !== this.#batch.number);
      const batch = this.#nextBatch(groupsMax);
      try {
        await this.#commit(batch);
        this.#settle(batch, true);
        retryMs = RETRY_FIRST_MS;
        refusals = 0;
        groupsMax *= 2;
        this.#troubles.ledger = undefined;
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
          retryMs = Math.min(retryMaxMs, retryMs * 2);
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
      this.#recordTrouble("ledger", "The journal cannot be read", error);
      return true;
    }
    this.#recordTrouble("ledger", "The ledger cannot be written", error);
    return isDataError(error);
  }

  #settle(batch: readonly Waiting[], isCommitted: boolean): void {
    this.#forget(batch, isCommitted);
    for (const item of batch) {
      if (item.position === undefined) {
        this.#waitingUnjournaled -= 1;
      } else {
        this.#deps.journal.release(item.position);
      }
    }
  }

  #forget(batch: readonly Waiting[], isCommitted: boolean): void {
    this.#waiting.splice(0, batch.length);
    this.#gone += batch.length;
    this.#observers.forEach((observer) => {
      observer.settle(this.#gone, isCommitted);
    });
    for (const { record, bytes, calls } of batch) {
      this.#callsWaiting -= calls;
      this.#bytesInMemory -= record === undefined ? 0 : bytes;
      this.#bytesWaiting -= bytes;
    }
  }

  /** Sets a batch aside, so that the others can be committed. @returns False when that fails too, such as on a full disk. */
  async #isSetAside(batch: readonly Waiting[], reason: unknown): Promise<boolean> {
    if (reason instanceof UnreadableGroupError) {
      // The segment is not released: the next start finds it and keeps what is damaged for a person to inspect.
      this.#deps.logger.error({ err: reason }, "A group stays in the journal");
      this.#deps.onUnreadable?.();
      this.#forget(batch, false);
      this.#groupsSetAside += batch.length;
      return true;
    }
    try {
      for (const item of batch) {
        await this.#deps.setAside(this.#read(item), reason);
      }
    } catch (error) {
      this.#deps.logger.error({ err: error }, "A group cannot be set aside");
      return false;
    }
    this.#groupsSetAside += batch.length;
    this.#settle(batch, false);
    return true;
  }

  /**
   * Closes the group being filled. Resolves when it and all groups before it are committed or set aside.
   *
   * @throws {UncommittedError} When the recorder stopped first: what waits is in the journal alone.
   */
  async flush(): Promise<void> {
    await this.hurry(async () => {
      this.#closeGroup();
      const closed = this.#closed;
      while (this.#gone < closed) {
        if (this.#committing === undefined) {
          throw new UncommittedError("Usage waits in the journal for the next start.");
        }
        await this.#attempted.promise;
      }
    });
  }

  /** Runs something that waits for the commit under way, or for rows that it has locked. Commits make no pauses meanwhile. */
  hurry<Result>(wait: () => Promise<Result>): Promise<Result> {
    return this.#pacer.hurry(wait);
  }

  /**
   * Flushes within a time limit and stops, for the end of the process. What is not committed by then stays in the journal, and
   * the next start commits it.
   *
   * @returns True when nothing is left.
   */
  async drain(timeoutMs: number): Promise<boolean> {
    // Connections that have just closed still record their measure.
    await immediate();
    this.#isEnding = true;
    await Promise.race([this.flush(), delay(timeoutMs, undefined, { ref: false })]);
    const isDrained = this.#waiting.length === 0;
    this.#isStopped = !isDrained;
    return isDrained;
  }
}
