import type { GroupId } from "@turnpike/domain/ids/ids";
import type { Journal, JournalPosition } from "#platform/journal.ts";
import { CommitSize } from "./commit-size.ts";
import { decodeGroup } from "./group-record.ts";
import type { GroupObserver, UsageGroup } from "./usage-group.ts";

export type WaitingGroup = {
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

export class UnreadableGroupError extends Error {
  override readonly name = "UnreadableGroupError";
}

/** Groups that are closed and wait for the ledger, in order, cut into batches. */
export class WaitingGroups {
  readonly #journal: Pick<Journal, "read" | "release">;
  readonly #bytesInMemoryMax: number;
  readonly #groups: WaitingGroup[] = [];
  readonly #observers: GroupObserver[] = [];
  #bytesInMemory = 0;
  /** The batch that the next group joins, with its size so far. */
  #batch = { number: 0, size: new CommitSize() };
  #closed = 0;
  #gone = 0;
  #bytes = 0;
  #calls = 0;
  #unjournaled = 0;

  /** @param input.bytesInMemoryMax - Of records; further ones are read back from the journal. */
  constructor(input: { journal: Pick<Journal, "read" | "release">; bytesInMemoryMax: number }) {
    this.#journal = input.journal;
    this.#bytesInMemoryMax = input.bytesInMemoryMax;
  }

  get length(): number {
    return this.#groups.length;
  }

  /** Of the records. */
  get bytes(): number {
    return this.#bytes;
  }

  get calls(): number {
    return this.#calls;
  }

  /** Waiting groups that the disk refused: they are in memory alone. */
  get unjournaled(): number {
    return this.#unjournaled;
  }

  /** Groups that were added so far. */
  get closed(): number {
    return this.#closed;
  }

  /** How many of them no longer wait. */
  get gone(): number {
    return this.#gone;
  }

  /** Tells of every group that is committed or set aside from now on. */
  observe(observer: GroupObserver): void {
    this.#observers.push(observer);
  }

  /** @param as.position - Undefined when the disk refused it. */
  add(
    group: UsageGroup,
    as: { record: Buffer; position: JournalPosition | undefined; calls: number },
  ): void {
    const { record, position, calls } = as;
    const isKept = position === undefined || this.#bytesInMemory < this.#bytesInMemoryMax;
    this.#unjournaled += position === undefined ? 1 : 0;
    this.#bytesInMemory += isKept ? record.length : 0;
    this.#bytes += record.length;
    this.#closed += 1;
    this.#groups.push({
      groupId: group.groupId,
      position,
      record: isKept ? record : undefined,
      bytes: record.length,
      calls,
      batch: this.#joinBatch(group),
    });
    this.#calls += calls;
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

  /** True when nothing can join the batch of the first group any more. */
  get isNextComplete(): boolean {
    return this.#groups[0]?.batch !== this.#batch.number;
  }

  /** True when a batch has been filled since, and another is begun. */
  isBehind(batch: number): boolean {
    return this.#batch.number > batch + 1;
  }

  /** The groups to commit next, of one batch. */
  nextBatch(groupsMax: number): WaitingGroup[] {
    const [first] = this.#groups;
    if (first?.batch === this.#batch.number) {
      // Groups that come while it is written join the next batch.
      this.#startBatch();
    }
    const other = this.#groups.findIndex((group) => group.batch !== first?.batch);
    return this.#groups.slice(0, Math.min(groupsMax, other === -1 ? Infinity : other));
  }

  /** @throws {UnreadableGroupError} When the journal cannot give it back. */
  read(group: WaitingGroup): UsageGroup {
    if (group.record !== undefined) {
      return decodeGroup(group.record);
    }
    if (group.position === undefined) {
      throw new Error("A waiting group is neither in memory nor in the journal.");
    }
    try {
      return decodeGroup(this.#journal.read(group.position));
    } catch (error) {
      throw new UnreadableGroupError("A group cannot be read back from the journal.", {
        cause: error,
      });
    }
  }

  /** The first groups are committed or set aside: the journal needs them no longer. */
  settle(batch: readonly WaitingGroup[], isCommitted: boolean): void {
    this.forget(batch, isCommitted);
    for (const { position } of batch) {
      if (position === undefined) {
        this.#unjournaled -= 1;
      } else {
        this.#journal.release(position);
      }
    }
  }

  /** The first groups wait no longer; the journal keeps them. */
  forget(batch: readonly WaitingGroup[], isCommitted: boolean): void {
    this.#groups.splice(0, batch.length);
    this.#gone += batch.length;
    this.#observers.forEach((observer) => {
      observer.settle(this.#gone, isCommitted);
    });
    for (const { record, bytes, calls } of batch) {
      this.#calls -= calls;
      this.#bytesInMemory -= record === undefined ? 0 : bytes;
      this.#bytes -= bytes;
    }
  }
}
