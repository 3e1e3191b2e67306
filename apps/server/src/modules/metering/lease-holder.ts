import type { LeaseId, NewId, ProcessId, TenantId } from "@turnpike/domain/ids/ids";
import { leaseDeadlineMs, shouldRefill } from "@turnpike/domain/limits/lease";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import {
  type LeaseGrant,
  type LeaseLedger,
  type LeaseRecall,
  nameBalance,
} from "./lease-ledger.ts";
import { LeaseReturns } from "./lease-returns.ts";
import {
  countWaits,
  type HardLimit,
  type LeaseHold,
  newSlice,
  newSlot,
  noteWait,
  type Slice,
  type Slot,
} from "./lease-slot.ts";
import type { BalanceName } from "./leases.store.ts";

export type SpendResult =
  | { status: "spent"; hold: LeaseHold; remaining: number }
  /**
   * Nothing is left in the period, as far as the database knew a moment ago; `mayComeBack` when other processes hold units
   * that they were asked to give back.
   */
  | { status: "exhausted"; mayComeBack: boolean }
  /** Not known from memory: wait for {@link LeaseHolder.refill} and try again. */
  | { status: "unknown" };

export type LeaseHolderDeps = {
  ledger: LeaseLedger;
  clock: Clock;
  newId: NewId;
  processId: ProcessId;
  logger: Logger;
  /** Commits everything this process has recorded. */
  flush?: () => Promise<unknown>;
  /** Waits for so many milliseconds; left out, units that were asked of others are not waited for. */
  pause?: (ms: number) => Promise<unknown>;
};

/** After the database said that nothing is left, it is asked again this much later: others may have given back. */
const EXHAUSTED_FOR_MS = 1_000;
/** After the database could not be asked, it is left alone this long: an outage must not turn every call into an attempt. */
const FAILED_FOR_MS = 500;
/** A caller who waits longer for units is better told to come back; the question goes on for those who come then. */
const REFILL_TIMEOUT_MS = 5_000;
/** So long callers wait for units that others were asked for: several times what it takes to hear of it and give back. */
const RECALL_WAIT_MS = 250;
/**
 * What is told of a balance that events are reported to is at most this old, while the database answers: with the time that
 * it takes, whoever passed a quota by events hears of it within a second, on every process.
 */
const REPORTED_MS_MAX = 800;
/** Asked again in the background from then on, so that nobody waits who comes often. */
const REPORTED_RENEW_MS = 300;
/**
 * Use is measured over this long at least, in milliseconds: one call of a high cost just after a slice was cut is not a rate at
 * which the next seconds go on, and what is cut for them is forfeited by a crash. Who does go on gets larger slices each time.
 */
const RATE_WINDOW_MS = 1_000;
/** A lease is prolonged in the background when less than this is left until its deadline. */
const RENEW_BEFORE_MS = 20_000;

/**
 * Spends hard limits from memory. Holds at most one lease per balance, asks the database for more in the background before
 * it runs dry, and makes a caller wait only when nothing is held. Units that were spent stay taken in the database until
 * the usage is committed, so the limit is never overshot.
 */
export class LeaseHolder {
  readonly #deps: LeaseHolderDeps;
  /** By balance. The keys of a line share one, and each may have a limit of its own on it: a slot for each such limit. */
  readonly #slots = new Map<string, readonly Slot[]>();
  /** By the very object that was asked with last: callers ask with the same one for as long as nothing changes. */
  readonly #slotsOf = new WeakMap<HardLimit, Slot>();
  readonly #refills = new Set<Promise<void>>();
  readonly #returns: LeaseReturns;

  constructor(deps: LeaseHolderDeps) {
    this.#deps = deps;
    this.#returns = new LeaseReturns(deps.ledger);
  }

  /** Takes `quantity` units from memory, or says why it cannot. Never waits. */
  spend(limit: HardLimit, quantity: number): SpendResult {
    const slot = this.#find(limit);
    const { slice } = slot;
    const nowMs = this.#deps.clock.monotonicMs();
    if (slice === undefined || nowMs >= slice.deadlineMs || slice.remaining < quantity) {
      return nowMs < slot.exhaustedUntilMs || this.#isTooMuch(slot, quantity, nowMs)
        ? { status: "exhausted", mayComeBack: mayComeBack(slot, quantity) }
        : { status: "unknown" };
    }
    // While the database cannot be asked, what it said last holds as long as its lease.
    const ageMs = slot.isReported && slot.failure === undefined ? nowMs - slot.answeredAtMs : 0;
    if (ageMs > REPORTED_MS_MAX) {
      return { status: "unknown" };
    }
    slice.remaining -= quantity;
    slice.inFlight += quantity;
    slot.spentSinceRefill += quantity;
    const runsLow =
      slot.isInDoubt ||
      ageMs > REPORTED_RENEW_MS ||
      shouldRefill(slice.remaining, slot.filledTo) ||
      slice.deadlineMs - nowMs < RENEW_BEFORE_MS;
    const mayAsk =
      (slot.isReported || nowMs >= slot.exhaustedUntilMs) &&
      nowMs >= slot.sparedUntilMs &&
      nowMs >= (slot.failure?.untilMs ?? 0);
    if (runsLow && mayAsk) {
      void this.#startRefill(slot);
    }
    return { status: "spent", hold: { quantity, slice, slot }, remaining: slice.remaining };
  }

  /**
   * Units left in the period, as this process knows: exact but for what others have used and not committed, or since it last
   * asked. What others hold is left until they use it.
   *
   * @returns `undefined` while it has not asked yet.
   */
  remaining(limit: HardLimit): number | undefined {
    const slot = this.#find(limit);
    if (slot.isUnknown) {
      return undefined;
    }
    // Asked to give it back, others had nothing to give: then they have used it.
    const isUsed = slot.hasAskedOthers && this.#deps.clock.monotonicMs() < slot.shortUntilMs;
    const held = isUsed ? 0 : slot.heldElsewhere;
    return slot.leftElsewhere + held + (slot.slice?.remaining ?? 0);
  }

  /** The call was recorded: its units leave the lease when its group is committed. */
  settle(hold: LeaseHold): void {
    hold.slice.inFlight -= hold.quantity;
  }

  /** The call is not billed: its units can be spent again. */
  giveBack(hold: LeaseHold): void {
    hold.slice.inFlight -= hold.quantity;
    hold.slice.remaining += hold.quantity;
    // What was not used must not look like demand when the next slice is cut.
    hold.slot.spentSinceRefill = Math.max(0, hold.slot.spentSinceRefill - hold.quantity);
  }

  /**
   * The database was to move the units elsewhere, and whether it did is not known. They are not spent again; the lease is
   * replaced and goes back with whatever the database counts for it.
   */
  doubt(hold: LeaseHold): void {
    hold.slice.inFlight -= hold.quantity;
    hold.slice.isDoubtful = true;
  }

  /**
   * Units of a balance went back, or were taken, past this holder: nobody has to wait to hear of it.
   *
   * @param quantity - Given back; negative for taken.
   * @param sinceMs - Monotonic milliseconds; when that was begun. An answer from then on may count them or not.
   */
  noteGivenBack(name: BalanceName, quantity: number, sinceMs: number): void {
    for (const slot of this.#slots.get(nameBalance(name)) ?? []) {
      if (slot.name.periodStart.getTime() === name.periodStart.getTime()) {
        noteInSlot(slot, quantity, sinceMs);
      }
    }
  }

  /**
   * Asks the database for units; callers of one balance share the question.
   *
   * @throws whatever the database throws, now or a moment ago, or a connection error when it does not answer in time: then
   *   the limit cannot be decided.
   */
  async refill(limit: HardLimit, quantity: number): Promise<void> {
    const slot = this.#find(limit);
    if (slot.failure !== undefined && this.#deps.clock.monotonicMs() < slot.failure.untilMs) {
      throw slot.failure.error;
    }
    noteWait(slot, quantity, 1);
    try {
      await withTimeout(this.#refillFor(slot, quantity), REFILL_TIMEOUT_MS);
    } finally {
      noteWait(slot, quantity, -1);
    }
  }

  async #refillFor(slot: Slot, quantity: number): Promise<void> {
    // What was counted before this caller came may have been for nobody, and cut nothing.
    const isLate = slot.refilling !== undefined && slot.hasCounted;
    await this.#startRefill(slot);
    if (isLate && (slot.slice?.remaining ?? 0) < quantity) {
      await this.#startRefill(slot);
    }
  }

  #find(limit: HardLimit): Slot {
    let slot = this.#slotsOf.get(limit);
    if (slot === undefined || slot.released) {
      slot = this.#findByName(limit);
      this.#slotsOf.set(limit, slot);
    }
    return slot;
  }

  #findByName(limit: HardLimit): Slot {
    const balance = nameBalance(limit);
    const slots = this.#slots.get(balance) ?? [];
    const isOfPeriod = (slot: Slot) => slot.name.periodStart.getTime() === limit.periodStartMs;
    const known = slots.find(
      (slot) =>
        slot.limit === limit.limit && slot.changedAtMs === limit.changedAtMs && isOfPeriod(slot),
    );
    if (known !== undefined) {
      return known;
    }
    // A new period, a new limit of the tenant or a key that was changed: the old slice goes back and a new one is cut. Another
    // key of the line that has its slot from before gets a new one as well, once.
    const isOlder = ({ changedAtMs }: Slot) =>
      changedAtMs !== undefined &&
      limit.changedAtMs !== undefined &&
      changedAtMs < limit.changedAtMs;
    for (const slot of slots) {
      if (limit.keyId === undefined || !isOfPeriod(slot) || isOlder(slot)) {
        this.#releaseSlot(slot);
      }
    }
    const slot = newSlot(limit, this.#deps.clock.monotonicMs());
    this.#slots.set(balance, [...(this.#slots.get(balance) ?? []), slot]);
    return slot;
  }

  #startRefill(slot: Slot): Promise<void> {
    if (slot.refilling === undefined) {
      const refilling = this.#refill(slot).finally(() => {
        slot.refilling = undefined;
        this.#refills.delete(refilling);
      });
      this.#refills.add(refilling);
      // A background refill that fails is tried again by the next call that needs it.
      refilling.catch((error: unknown) => {
        this.#deps.logger.debug({ err: error }, "A lease could not be refilled");
      });
      slot.refilling = refilling;
    }
    return slot.refilling;
  }

  async #refill(slot: Slot): Promise<void> {
    const { flush, pause } = this.#deps;
    if (slot.isRecent && slot.isUnknown) {
      await flush?.();
    }
    if (slot.isUnknown) {
      await this.#returnOwn(slot);
    }
    await this.#ask(slot);
    const isWaitedFor = () => slot.isShort && isAwaited(slot);
    if (isWaitedFor()) {
      this.#releaseOthersOf(slot);
      // Also what was let go of a moment ago: nobody else can use it before it is back.
      if (await this.#returnOwn(slot)) {
        await this.#ask(slot);
      }
    }
    if (isWaitedFor()) {
      if (pause !== undefined) {
        await this.recallOthers([slot.name]);
        await this.#returnOwn(slot);
        await this.#ask(slot);
      }
      slot.hasAskedOthers = true;
    }
  }

  /** Asks other processes for what they hold of balances and do not need, and gives them a moment for it. */
  async recallOthers(names: readonly BalanceName[]): Promise<void> {
    for (const name of names) {
      await this.#deps.ledger.recall(name, this.#deps.processId);
    }
    await this.#deps.pause?.(RECALL_WAIT_MS);
  }

  /** Lets go of what is held of a balance under other limits than this one, unless callers wait for it. */
  #releaseOthersOf(slot: Slot): void {
    const others = (this.#slots.get(nameBalance(slot.name)) ?? []).filter(
      (other) => other !== slot && other.slice !== undefined && other.refilling === undefined,
    );
    for (const other of others) {
      this.#releaseSlot(other);
    }
  }

  /**
   * What this process let go of and did not give back yet would look like held by another one.
   *
   * @returns True when it tried to give units of the balance back.
   */
  async #returnOwn(slot: Slot): Promise<boolean> {
    const { flush, logger } = this.#deps;
    if (flush === undefined || !this.#returns.hasUnitsOf(slot.name)) {
      return false;
    }
    await this.returnRetired(flush).catch((error: unknown) => {
      logger.debug({ err: error }, "Leases could not be given back yet");
    });
    return true;
  }

  async #ask(slot: Slot): Promise<void> {
    const askedAtMs = this.#deps.clock.monotonicMs();
    slot.isInDoubt = false;
    slot.hasCounted = false;
    const measuredMs = Math.max(RATE_WINDOW_MS, askedAtMs - slot.refilledAtMs);
    const ratePerMs = slot.spentSinceRefill / measuredMs;
    const current = slot.slice;
    // A lease in doubt is replaced, so that it goes back with whatever the database counts for it.
    const extended = current?.isDoubtful === true ? undefined : current;
    const leaseId = this.#deps.newId("lease");
    let mayExist = false;
    const cut = this.#deps.ledger.cut({
      name: slot.name,
      limit: slot.limit,
      countWanted: (left) => {
        mayExist = true;
        slot.hasCounted = true;
        // Units for a slot that was let go of meanwhile would be nobody's until they are given back.
        return slot.released ? undefined : countWaits(slot, this.#spendableOf(extended), left);
      },
      ratePerMs,
      extend: extended?.leaseId,
      newLeaseId: leaseId,
      processId: this.#deps.processId,
    });
    try {
      this.#applyGrant(slot, current, { grant: await cut, askedAtMs });
    } catch (error) {
      slot.failure = { error, untilMs: this.#deps.clock.monotonicMs() + FAILED_FOR_MS };
      if (mayExist) {
        // Whether the lease was made is not known: giving it back is right in both cases.
        this.#returns.add(newSlice(slot.name, leaseId, true));
        if (current !== undefined) {
          current.isDoubtful = true;
        }
      }
      throw error;
    }
  }

  /** @param current - The slice that the slot had when it asked; it may have been let go of since. */
  #applyGrant(
    slot: Slot,
    current: Slice | undefined,
    { grant, askedAtMs }: { grant: LeaseGrant; askedAtMs: number },
  ): void {
    if (grant.granted > 0 || grant.leaseId === current?.leaseId) {
      // One lease is one slice, also when it was let go of meanwhile: a second one would be given back on its own, with what
      // calls in flight took of the first.
      const slice =
        grant.leaseId === current?.leaseId ? current : newSlice(slot.name, grant.leaseId, false);
      slice.remaining = Math.max(0, slice.remaining + grant.granted);
      slice.deadlineMs = leaseDeadlineMs(askedAtMs);
      if (slice !== current) {
        this.#replaceSlice(slot, slice);
      }
    } else if (this.#spendableOf(slot.slice) <= 0 || this.#isInTheWay(slot, grant)) {
      this.#replaceSlice(slot, undefined);
    }
    slot.isUnknown = false;
    slot.isReported = grant.isReported;
    slot.leftElsewhere = grant.left;
    slot.answeredAtMs = this.#deps.clock.monotonicMs();
    slot.filledTo = slot.slice?.remaining ?? 0;
    slot.failure = undefined;
    // From the answer on: when the database takes long, whoever waited for it must still find what it said.
    const until = slot.isInDoubt ? 0 : slot.answeredAtMs + EXHAUSTED_FOR_MS;
    // What fell short with nothing left was all there is: whoever wants more than that need not ask again to hear it.
    const isAll = grant.granted <= 0 || (grant.isShort && grant.left === 0);
    slot.heldElsewhere = grant.heldElsewhere;
    slot.isShort = grant.isShort && !grant.isReported;
    // What others hold they are asked for only when a caller waits whom it would help. Of what is reported none is asked.
    const isAsked = slot.isShort && isAwaited(slot);
    const isOver = isAsked || grant.heldElsewhere === 0 || grant.isReported;
    slot.exhaustedUntilMs = isAll && grant.left === 0 && isOver ? until : 0;
    // An answer that nobody waited for says nothing about who wanted too much.
    if (grant.isShort || slot.waits.size > 0) {
      slot.shortUntilMs = grant.isShort ? until : 0;
      slot.hasAskedOthers = false;
    }
    slot.sparedUntilMs = isAll && !grant.isReported ? until : 0;
    slot.spentSinceRefill = 0;
    slot.refilledAtMs = askedAtMs;
    if (slot.released) {
      this.#replaceSlice(slot, undefined);
    }
    this.#releaseBelow(slot, slot.limit - grant.left);
  }

  /** Keys of a line may have different limits on what they use together: what is taken is beyond the lower ones. */
  #releaseBelow(slot: Slot, taken: number): void {
    for (const other of this.#slots.get(nameBalance(slot.name)) ?? []) {
      const isOfPeriod = other.name.periodStart.getTime() === slot.name.periodStart.getTime();
      if (other !== slot && isOfPeriod && other.limit < taken && other.slice !== undefined) {
        this.#releaseSlot(other);
      }
    }
  }

  /** True for a lease in doubt when callers fall short: what it has can only be added to once it went back. */
  #isInTheWay({ slice }: Slot, grant: LeaseGrant): boolean {
    return slice?.isDoubtful === true && grant.isShort && !grant.isReported;
  }

  /** True when the database has just said that less than that is left, with what is held here. */
  #isTooMuch(slot: Slot, quantity: number, nowMs: number): boolean {
    const isKnown = nowMs < slot.shortUntilMs && !slot.isInDoubt;
    const isShort = quantity > slot.leftElsewhere + this.#spendableOf(slot.slice);
    return isKnown && isShort && (slot.hasAskedOthers || !mayComeBack(slot, quantity));
  }

  #spendableOf(slice: Slice | undefined): number {
    return slice !== undefined && this.#deps.clock.monotonicMs() < slice.deadlineMs
      ? slice.remaining
      : 0;
  }

  /** What was spent of the old slice is known exactly, so it goes back even when the database let it expire. */
  #replaceSlice(slot: Slot, slice: Slice | undefined): void {
    if (slot.slice !== undefined) {
      this.#returns.add(slot.slice);
    }
    slot.slice = slice;
  }

  #releaseSlot(slot: Slot): void {
    const balance = nameBalance(slot.name);
    const others = (this.#slots.get(balance) ?? []).filter((other) => other !== slot);
    if (others.length === 0) {
      this.#slots.delete(balance);
    } else {
      this.#slots.set(balance, others);
    }
    slot.released = true;
    this.#replaceSlice(slot, undefined);
  }

  /** Lets go of the leases of a tenant whose terms changed, or of all tenants; {@link returnRetired} gives them back. */
  release(tenantId: TenantId | undefined): void {
    for (const slot of [...this.#slots.values()].flat()) {
      if (tenantId === undefined || slot.name.tenantId === tenantId) {
        this.#releaseSlot(slot);
      }
    }
  }

  /**
   * Another process has calls for units of a balance. Lets go of what is held of it, unless callers here wait for it as well.
   *
   * @returns True when {@link returnRetired} has something to give back.
   */
  recall({ processId, balance }: LeaseRecall): boolean {
    if (processId === this.#deps.processId) {
      return false;
    }
    const free = (this.#slots.get(balance) ?? []).filter(
      (slot) => slot.slice !== undefined && slot.refilling === undefined,
    );
    for (const slot of free) {
      this.#releaseSlot(slot);
    }
    return free.length > 0;
  }

  /** Lets go of leases that lie idle, so that a rarely used balance does not keep units from other processes. */
  releaseIdle(idleMs: number): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const slot of [...this.#slots.values()].flat()) {
      if (slot.refilling === undefined && nowMs - slot.refilledAtMs > idleMs) {
        this.#releaseSlot(slot);
      }
    }
  }

  /**
   * Gives leases back to the database whose calls are all recorded, a thousand at a time.
   *
   * @param flush - Commits everything recorded so far. Only then does the database's `remaining` equal what is left.
   * @returns How many leases still wait, for calls in flight or for the next time.
   */
  returnRetired(flush: () => Promise<unknown>): Promise<number> {
    return this.#returns.giveBack(flush);
  }

  /**
   * Keeps leases from ever being given back, because usage that was spent from them is not in the ledger and may come later.
   *
   * @param leaseIds - Undefined: it is not known which, so all that are held now.
   */
  keep(leaseIds: readonly LeaseId[] | undefined): void {
    if (leaseIds === undefined) {
      const held = [...this.#slots.values()].flat().flatMap(({ slice }) => slice?.leaseId ?? []);
      this.#returns.keepAll();
      this.#returns.keep(held);
    } else {
      this.#returns.keep(leaseIds);
    }
  }

  /** Refills under way, so that an end can wait for them. */
  async settleRefills(): Promise<void> {
    await Promise.allSettled(this.#refills);
  }

  /** Balances held. */
  get size(): number {
    return this.#slots.size;
  }
}

/** Whether a caller waits for units that others could give back; not only for an answer, nor for more than there is. */
function isAwaited(slot: Slot): boolean {
  return [...slot.waits.keys()].some((quantity) => quantity > 0 && mayComeBack(slot, quantity));
}

/** Whether others could give back what a call wants, with what is left here. */
function mayComeBack({ slice, leftElsewhere, heldElsewhere }: Slot, quantity: number): boolean {
  return heldElsewhere > 0 && (slice?.remaining ?? 0) + leftElsewhere + heldElsewhere >= quantity;
}

function noteInSlot(slot: Slot, quantity: number, sinceMs: number): void {
  if (slot.refilling !== undefined || slot.answeredAtMs >= sinceMs) {
    slot.isInDoubt = true;
  } else {
    slot.leftElsewhere = Math.max(0, slot.leftElsewhere + quantity);
  }
  if (quantity > 0) {
    slot.exhaustedUntilMs = 0;
    slot.shortUntilMs = 0;
  }
}
