import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import { isDataError } from "@turnpike/db/database-errors";
import type { GroupId, NewId, ProcessId } from "@turnpike/domain/ids/ids";
import type { Clock } from "#platform/clock.ts";
import type { Journal, JournalPosition } from "#platform/journal.ts";
import type { Logger } from "#platform/logger.ts";
import type { CommitPace } from "./commit-groups.ts";
import { CommitSize } from "./commit-size.ts";
import { decodeGroup, encodeGroup } from "./group-record.ts";
import {
  type CallMeasure,
  GroupBuilder,
  type MeteredCall,
  type StoredGroup,
  type UsageGroup,
} from "./usage-group.ts";

export type UsageRecorderDeps = {
  journal: Journal;
  /** Writes groups to the ledger, at a pace that leaves calls their time; safe to repeat. */
  commit(groups: readonly StoredGroup[], pace: CommitPace): Promise<unknown>;
  /** Keeps a group that the database refuses for a reason that no retry mends. */
  setAside(group: UsageGroup, reason: unknown): Promise<void>;
  /** Hears that a group in the journal cannot be read back: nobody knows what is in it. */
  onUnreadable?: () => void;
  newId: NewId;
  processId: ProcessId;
  clock: Pick<Clock, "monotonicMs">;
  /** Lets time go by, or rejects as soon as the signal says so. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>;
  logger: Logger;
};

export type UsageRecorderOptions = {
  /** How long a group is filled, milliseconds: a crash loses at most this much. */
  groupIntervalMs: number;
  /** Groups that may wait for the database before new calls are refused. Each is in the journal, few are in memory. */
  groupsWaitingMax: number;
  /** The same in bytes, as the journal has them. */
  bytesWaitingMax: number;
  /** Of waiting groups, as the journal has them, that are kept in memory; what comes after is read back from the journal. */
  bytesInMemoryMax: number;
  /** `strict`: no call is answered before its usage is on disk, so none may be let through while the disk refuses. */
  durability?: "grouped" | "strict";
};

type Waiting = {
  groupId: GroupId;
  position: JournalPosition | undefined;
  /**
   * As it stands in the journal; undefined where it is to be read back from there. As objects, groups that wait would outlive
   * one collection of garbage after another, and calls would wait for the long ones that follow.
   */
  record: Buffer | undefined;
  /** Of the record. */
  bytes: number;
  /** Groups of one number are committed together. */
  batch: number;
};

/**
 * A group is closed early when it has this many entries: what has to be written down of it keeps calls waiting for well below
 * a millisecond.
 */
const GROUP_ENTRIES = 256;
/**
 * The next commit starts no sooner than this many times the last one's duration after its end, so that the ledger takes at
 * most a tenth of the database however heavy the load; an idle one commits within milliseconds. Groups that wait meanwhile
 * are in the journal, and are written as one. Once they are as many as one commit may hold, waiting makes nothing cheaper, and
 * would leave the ledger further behind with every second in which ever new keys call.
 */
const COMMIT_PAUSE_FACTOR = 9;
/**
 * The same holds within a commit: what is summed of a busy few seconds would keep calls waiting for as long as it takes, and
 * those that come meanwhile for longer. After so much of it, nine times as long belongs to the calls.
 */
const COMMIT_PIECE_MS = 0.5;
/** The longest pause between two commits: with the commit itself, what a dashboard may lag behind. */
const COMMIT_PAUSE_MAX_MS = 3_000;
/**
 * After a statement, for what the database takes of a core that calls may share. Short: other processes that write usage of the
 * same keys wait for as long as all statements take.
 */
const STATEMENT_PAUSE_MS = 6;
/** The longest pause within a commit, and all of them together: the database waits for its end. */
const PIECE_PAUSE_MAX_MS = 50;
const PIECE_PAUSES_MAX_MS = 10_000;
/** Groups that may wait while the disk refuses them; further calls are refused, for memory is no place to keep usage. */
const GROUPS_UNJOURNALED_MAX = 1_000;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 1_000;
/** A refusal that is no outage is tried this often before the group is set aside. */
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
  /** Why the journal or the database refused last, while it does. */
  trouble: string | undefined;
};

/**
 * Turns metered calls into committed ledger entries: calls fill a group, a full group is appended to the journal, journaled
 * groups are committed in order. What is in the journal survives a crash and an outage of the database, and the group's id
 * makes its replay idempotent, so nothing is lost but the group being filled and nothing is counted twice.
 */
export class UsageRecorder {
  readonly #deps: UsageRecorderDeps;
  readonly #options: UsageRecorderOptions;
  #builder = new GroupBuilder();
  #timer: NodeJS.Timeout | undefined;
  #closing: NodeJS.Immediate | undefined;
  #journaled = Promise.withResolvers<void>();
  readonly #waiting: Waiting[] = [];
  #bytesInMemory = 0;
  #bytesWaiting = 0;
  /** The batch that the next group may join, with its size so far. */
  #batch = { number: 0, size: new CommitSize() };
  /** Groups that were closed so far, and those of them that wait no more. */
  #closed = 0;
  #gone = 0;
  /** Settles with the next attempt to commit, however it ends. */
  #attempted = Promise.withResolvers<void>();
  /** Of those, the ones that the disk refused: they are nowhere but in memory. */
  #waitingUnjournaled = 0;
  #committing: Promise<void> | undefined;
  #isStopped = false;
  #isEnding = false;
  #nextCommitAtMs = 0;
  /** Those who wait for a commit to end. */
  #hurrying = 0;
  /** Ends the pause between two commits early. */
  #hurry = new AbortController();
  #groupsSetAside = 0;
  /** Apart: the ledger takes what waits while the journal refuses, and the other way round. */
  readonly #troubles: { journal?: string | undefined; ledger?: string | undefined } = {};

  constructor(deps: UsageRecorderDeps, options: UsageRecorderOptions) {
    this.#deps = deps;
    this.#options = options;
    // A rejection must not end the process when nobody holds an answer back for it.
    this.#journaled.promise.catch(() => undefined);
  }

  /** Adds a call to the group being filled. Never waits, never fails. */
  record(call: MeteredCall): void {
    this.#builder.add(call);
    this.#closeGroupSoon();
  }

  /** Adds what was measured of a call that was recorded before. Never waits, never fails; once drained, it does nothing. */
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
      // Not at once: whoever recorded may go on to ask when this very group is in the journal.
      this.#closing ??= setImmediate(() => this.#closeGroup());
    }
  }

  /** Resolves when the group being filled is on disk; rejects when the disk refuses it. For `durability: strict`. */
  whenJournaled(): Promise<void> {
    return this.#builder.size === 0 ? Promise.resolve() : this.#journaled.promise;
  }

  /** True when new calls should be refused: so much waits for the database, or the disk refuses what must be on it. */
  get isSaturated(): boolean {
    return (
      (this.#options.durability === "strict" && this.#troubles.journal !== undefined) ||
      this.#waiting.length >= this.#options.groupsWaitingMax ||
      this.#bytesWaiting >= this.#options.bytesWaitingMax ||
      this.#waitingUnjournaled >= GROUPS_UNJOURNALED_MAX
    );
  }

  get health(): RecorderHealth {
    return {
      groupsWaiting: this.#waiting.length,
      groupsSetAside: this.#groupsSetAside,
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

  /** Writes to the journal, and keeps in mind whether that can be done. */
  #append(record: Buffer): ReturnType<Journal["append"]> {
    // What was written before the disk refused proves nothing when it is synced afterwards.
    const isTrial = this.#troubles.journal !== undefined;
    const refuse = (error: unknown) =>
      this.#note("journal", "The journal cannot be written", error);
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

  /** Tries a journal that refused with a group of nothing: where calls are refused meanwhile, no other would come. */
  retryJournal(): void {
    if (this.#troubles.journal === undefined) {
      return;
    }
    try {
      const { position, durable } = this.#append(encodeGroup(this.#build(new GroupBuilder())));
      const release = () => this.#deps.journal.release(position);
      durable.then(release, release);
    } catch {
      // Noted already.
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
      // A full disk: the group stays in memory and goes to the database straight away.
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
      batch,
    });
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
      // What comes while it is being written is for the next one.
      this.#startBatch();
    }
    const other = this.#waiting.findIndex((item) => item.batch !== first?.batch);
    return this.#waiting.slice(0, Math.min(groupsMax, other === -1 ? Infinity : other));
  }

  #note(part: "journal" | "ledger", what: string, error: unknown): void {
    if (this.#troubles[part] === undefined) {
      this.#deps.logger.error({ err: error }, what);
    }
    this.#troubles[part] = what;
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

  async #pause(): Promise<void> {
    const pauseMs = this.#nextCommitAtMs - this.#deps.clock.monotonicMs();
    // Nothing can join it any more.
    const isBatchFull = this.#waiting[0]?.batch !== this.#batch.number;
    if (this.#hurrying > 0 || isBatchFull || pauseMs <= 0) {
      return;
    }
    // Rejects only because somebody hurries, which is as good as the end of the pause.
    await this.#deps.pause(pauseMs, this.#hurry.signal).catch(() => undefined);
  }

  /** For the commit of a batch. One that others wait for, or that another follows at once, leaves calls a single turn. */
  #createPace(batchNumber: number): CommitPace {
    const { clock } = this.#deps;
    let workedMs = 0;
    let pausedMs = 0;

    const leaveCalls = async (pauseMs: number): Promise<void> => {
      const isInAHurry =
        this.#hurrying > 0 ||
        this.#batch.number > batchNumber + 1 ||
        pausedMs + pauseMs > PIECE_PAUSES_MAX_MS;
      if (isInAHurry) {
        await immediate();
        return;
      }
      pausedMs += pauseMs;
      // Rejects only because somebody hurries, which is as good as the end of the pause.
      await this.#deps.pause(pauseMs, this.#hurry.signal).catch(() => undefined);
    };

    return {
      work: async (piece) => {
        const startedAtMs = clock.monotonicMs();
        const result = piece();
        workedMs += clock.monotonicMs() - startedAtMs;
        if (workedMs >= COMMIT_PIECE_MS) {
          const pauseMs = Math.min(PIECE_PAUSE_MAX_MS, workedMs * COMMIT_PAUSE_FACTOR);
          workedMs = 0;
          await leaveCalls(pauseMs);
        }
        return result;
      },
      afterStatement: () => leaveCalls(STATEMENT_PAUSE_MS),
    };
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    const { clock, processId } = this.#deps;
    const startedAtMs = clock.monotonicMs();
    await this.#deps.commit(
      batch.map((item) => ({
        groupId: item.groupId,
        processId,
        recordedAtMs: null,
        read: () => this.#read(item),
      })),
      this.#createPace(batch[0]?.batch ?? 0),
    );
    const endedAtMs = clock.monotonicMs();
    const pauseMs = (endedAtMs - startedAtMs) * COMMIT_PAUSE_FACTOR;
    this.#nextCommitAtMs = endedAtMs + Math.min(COMMIT_PAUSE_MAX_MS, pauseMs);
  }

  /** Never rejects: whatever goes wrong is tried again, until nothing waits or the process ends. */
  async #commitWaiting(): Promise<void> {
    let retryMs = RETRY_FIRST_MS;
    let refusals = 0;
    let groupsMax = Infinity;
    while (this.#waiting.length > 0 && !this.#isStopped) {
      await this.#pause();
      const batch = this.#nextBatch(groupsMax);
      try {
        await this.#commit(batch);
        this.#settle(batch);
        retryMs = RETRY_FIRST_MS;
        refusals = 0;
        groupsMax *= 2;
        this.#troubles.ledger = undefined;
      } catch (error) {
        const isRefused = this.#isRefusal(error);
        // Fewer at a time: one that cannot be written is found so, and one of too much for the time that a commit may take.
        groupsMax = Math.ceil(batch.length / 2);
        if (batch.length === 1 || !isRefused) {
          refusals += isRefused ? 1 : 0;
          if (isRefused && refusals > REFUSALS_MAX && (await this.#isSetAside(batch, error))) {
            refusals = 0;
          }
          await delay(retryMs);
          retryMs = Math.min(RETRY_MAX_MS, retryMs * 2);
        }
      }
      this.#tellAttempted();
    }
    // In the same breath as the last look at what waits: a group that comes now starts anew.
    this.#committing = undefined;
    this.#tellAttempted();
  }

  #tellAttempted(): void {
    this.#attempted.resolve();
    this.#attempted = Promise.withResolvers();
  }

  #isRefusal(error: unknown): boolean {
    if (error instanceof UnreadableGroupError) {
      this.#note("ledger", "The journal cannot be read", error);
      return true;
    }
    this.#note("ledger", "The ledger cannot be written", error);
    return isDataError(error);
  }

  #settle(batch: readonly Waiting[]): void {
    this.#forget(batch);
    for (const item of batch) {
      if (item.position === undefined) {
        this.#waitingUnjournaled -= 1;
      } else {
        this.#deps.journal.release(item.position);
      }
    }
  }

  #forget(batch: readonly Waiting[]): void {
    this.#waiting.splice(0, batch.length);
    this.#gone += batch.length;
    for (const { record, bytes } of batch) {
      this.#bytesInMemory -= record === undefined ? 0 : bytes;
      this.#bytesWaiting -= bytes;
    }
  }

  /** Takes a batch out of the way of the others; false when that fails as well, such as on a full disk. */
  async #isSetAside(batch: readonly Waiting[], reason: unknown): Promise<boolean> {
    if (reason instanceof UnreadableGroupError) {
      // Not given back: the segment stays for the next start, which keeps what is damaged for a person to look at.
      this.#deps.logger.error({ err: reason }, "A group stays in the journal");
      this.#deps.onUnreadable?.();
      this.#forget(batch);
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
    this.#settle(batch);
    return true;
  }

  /**
   * Closes the group being filled and resolves when it and all before it wait no more: they are committed, or were set aside.
   *
   * @throws {UncommittedError} When the attempts were ended before: what waits is in the journal and nowhere else.
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

  /** Does what waits for the commit under way, or for rows that it has locked: it makes no pauses meanwhile. */
  async hurry<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#hurrying += 1;
    this.#hurry.abort();
    this.#hurry = new AbortController();
    try {
      return await wait();
    } finally {
      this.#hurrying -= 1;
    }
  }

  /**
   * Flushes within a time limit, for the end of the process. What does not make it stays in the journal, and the next start
   * commits it. Ends the attempts.
   *
   * @returns True when nothing is left.
   */
  async drain(timeoutMs: number): Promise<boolean> {
    // Connections that were closed this very moment still say what was measured of them.
    await immediate();
    this.#isEnding = true;
    await Promise.race([this.flush(), delay(timeoutMs, undefined, { ref: false })]);
    const isDrained = this.#waiting.length === 0;
    this.#isStopped = !isDrained;
    return isDrained;
  }
}
