import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import type { NewId } from "@turnpike/domain/ids/ids";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Journal, JournalPosition } from "#platform/journal.ts";
import { encodeGroup } from "./group-record.ts";
import { JournalWriter } from "./journal-writer.ts";
import { LedgerWriter, type LedgerWriterDeps } from "./ledger-writer.ts";
import {
  type CallMeasure,
  GroupBuilder,
  type GroupObserver,
  type MeteredCall,
  type UsageGroup,
} from "./usage-group.ts";
import { WaitingGroups } from "./waiting-groups.ts";

export type UsageRecorderDeps = LedgerWriterDeps & { journal: Journal; newId: NewId };

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

/** A group with this many entries is closed early: encoding it keeps calls waiting for well below a millisecond. */
const GROUP_ENTRIES = 256;
/** Groups that may wait in memory alone while the disk refuses them. Then further calls are refused. */
const GROUPS_UNJOURNALED_MAX = 1_000;
/** An answer that waits for its commit waits no longer: the ledger is away or far behind. */
const COMMITTED_WITHIN_MS = 10_000;

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
  readonly #journal: JournalWriter;
  readonly #waiting: WaitingGroups;
  readonly #ledger: LedgerWriter;
  #builder = new GroupBuilder();
  #timer: NodeJS.Timeout | undefined;
  #closing: NodeJS.Immediate | undefined;
  #journaled = Promise.withResolvers<void>();
  /** Of the group being filled. */
  #calls = 0;
  #isEnding = false;

  constructor(deps: UsageRecorderDeps, options: UsageRecorderOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#journal = new JournalWriter(deps);
    this.#waiting = new WaitingGroups({
      journal: deps.journal,
      bytesInMemoryMax: options.bytesInMemoryMax,
    });
    const { retryMaxMs } = options;
    this.#ledger = new LedgerWriter(deps, {
      waiting: this.#waiting,
      ...(retryMaxMs === undefined ? {} : { retryMaxMs }),
    });
    // A rejection must not end the process when no answer waits for it.
    this.#journaled.promise.catch(() => undefined);
  }

  /** Number of the group being filled, from 1: what is recorded now is in it. */
  get openGroup(): number {
    return this.#waiting.closed + 1;
  }

  /** Tells of every group that is committed or set aside from now on. */
  observe(observer: GroupObserver): void {
    this.#waiting.observe(observer);
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
    const last = this.#waiting.closed + (this.#builder.size === 0 ? 0 : 1);
    const waiting = this.hurry(async () => {
      while (this.#waiting.gone < last) {
        if (this.#ledger.isStopped) {
          throw new UncommittedError("Usage waits in the journal for the next start.");
        }
        await this.#ledger.whenAttempted();
      }
    });
    await withTimeout(waiting, COMMITTED_WITHIN_MS);
  }

  /** True when new calls should be refused: too much waits for the database, or the disk refuses what must be on it. */
  get isSaturated(): boolean {
    return (
      (this.#options.durability === "strict" && this.#journal.trouble !== undefined) ||
      (this.#options.durability === "cluster" && this.#ledger.trouble !== undefined) ||
      this.#waiting.length >= this.#options.groupsWaitingMax ||
      this.#waiting.bytes >= this.#options.bytesWaitingMax ||
      this.#waiting.unjournaled >= GROUPS_UNJOURNALED_MAX
    );
  }

  get health(): RecorderHealth {
    return {
      groupsWaiting: this.#waiting.length,
      groupsSetAside: this.#ledger.groupsSetAside,
      callsWaiting: this.#waiting.calls + this.#calls,
      // Either may refuse while the other accepts: each keeps what troubles it.
      trouble: this.#journal.trouble ?? this.#ledger.trouble,
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

  /** Tries a journal that refused with an empty group. While calls are refused, no other group comes. */
  retryJournal(): void {
    this.#journal.retry(() => encodeGroup(this.#build(new GroupBuilder())));
  }

  #enqueue(group: UsageGroup, journaled: PromiseWithResolvers<void>): void {
    const record = encodeGroup(group);
    let position: JournalPosition | undefined;
    try {
      const written = this.#journal.append(record);
      written.durable.then(journaled.resolve, journaled.reject);
      position = written.position;
    } catch (error) {
      // A full disk: the group stays in memory and goes straight to the database.
      journaled.reject(error);
    }
    this.#waiting.add(group, { record, position, calls: this.#calls });
    this.#calls = 0;
    this.#ledger.start();
  }

  /**
   * Closes the group being filled. Resolves when it and all groups before it are committed or set aside.
   *
   * @throws {UncommittedError} When the recorder stopped first: what waits is in the journal alone.
   */
  async flush(): Promise<void> {
    await this.hurry(async () => {
      this.#closeGroup();
      const { closed } = this.#waiting;
      while (this.#waiting.gone < closed) {
        if (!this.#ledger.isCommitting) {
          throw new UncommittedError("Usage waits in the journal for the next start.");
        }
        await this.#ledger.whenAttempted();
      }
    });
  }

  /** Runs something that waits for the commit under way, or for rows that it has locked. Commits make no pauses meanwhile. */
  hurry<Result>(wait: () => Promise<Result>): Promise<Result> {
    return this.#ledger.hurry(wait);
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
    if (!isDrained) {
      this.#ledger.stop();
    }
    return isDrained;
  }
}
