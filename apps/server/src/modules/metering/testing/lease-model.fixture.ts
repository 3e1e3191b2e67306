import fc from "fast-check";
import { periodStartMs, SimNode } from "./lease-node.fixture.ts";
import { FATES, SimDatabase, SimNetwork } from "./lease-world.fixture.ts";

const STEPS_MAX = 250;
const NODES = 3;
export const LIMITS = [0, 7, 60, 300, 1_000] as const;
const LONG_MS = 365 * 24 * 3_600_000;
const NOTHING_ADMITTED_MS = 150_000;
export const PERIODS = [0, 1] as const;
const IDLE_MS = 40_000;

const nth = fc.nat(1_000);
const node = fc.nat(NODES - 1);
const stepArbitrary = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({
      do: fc.constant("spend" as const),
      node,
      quantity: fc.constantFrom(1, 1, 1, 2, 5, 30),
    }),
  },
  {
    weight: 40,
    arbitrary: fc.record({
      do: fc.constant("message" as const),
      nth,
      fate: fc.constantFrom("commit" as const, "commit" as const, "commit" as const, ...FATES),
    }),
  },
  { weight: 14, arbitrary: fc.record({ do: fc.constant("settle" as const), node, nth }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("give back" as const), node, nth }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("close group" as const), node }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("upkeep" as const), node }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const), node }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(10, 600, 1_500, 20_000, 70_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("suspend" as const),
      node,
      ms: fc.constantFrom(1_000, 300_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("set database clock" as const),
      ms: fc.constantFrom(-3_600_000, 3_600_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("prune" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("limit" as const),
      node,
      limit: fc.constantFrom(...LIMITS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("roll over" as const), node }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pause" as const), node }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("crash" as const), node }) },
);
export type Step = typeof stepArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** Steps of a run, in order. */
export const runArbitrary = fc.array(stepArbitrary, { maxLength: STEPS_MAX, size: "max" });

/** Much cheaper than `expect`, because it is called some million times. */
export function assertHolds(isTrue: boolean, what: string): void {
  if (!isTrue) {
    throw new Error(`Does not hold: ${what}.`);
  }
}

/** Lets every promise continue that can. */
const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Several processes on one database, and a count of every unit that was really admitted. */
export class World {
  readonly database = new SimDatabase();
  readonly network = new SimNetwork(this.database);
  readonly nodes: SimNode[];
  readonly admitted = new Map<number, number>();
  /** The most that may be used and held in a period, given the limits so far. */
  readonly ceilings = new Map<number, number>();
  /** Units that each process held in the database when it crashed. */
  readonly heldAtCrash = new Map<string, number>();
  #incarnations = 0;

  constructor(limit: number) {
    this.nodes = Array.from({ length: NODES }, () => this.start(limit));
  }

  start(limit: number): SimNode {
    this.#incarnations += 1;
    return new SimNode({ network: this.network, seed: this.#incarnations, limit });
  }

  countAdmitted(period: number, quantity: number): void {
    this.admitted.set(period, (this.admitted.get(period) ?? 0) + quantity);
  }

  isReachable = (from: string): boolean =>
    this.nodes.some((candidate) => candidate.id === from && !candidate.isPaused);

  /** Crashes a process: its memory is gone, and its journal is committed before its leases are forfeited, as at every start. */
  crash(index: number): void {
    const gone = this.nodes[index] as SimNode;
    const begun = this.network.disconnect(gone.id);
    this.database.commit(gone.journal);
    let held = begun;
    for (const lease of this.database.leases.values()) {
      held += lease.processId === gone.id ? lease.remaining : 0;
    }
    this.heldAtCrash.set(gone.id, held);
    this.database.forfeit((lease) => lease.processId === gone.id);
    this.nodes[index] = this.start(gone.limit);
  }

  waitFor(ms: number): void {
    this.database.nowMs += ms;
    for (const each of this.nodes) {
      each.clockMs += ms;
    }
  }

  async apply(step: Step): Promise<void> {
    const acting = "node" in step ? (this.nodes[step.node] as SimNode) : undefined;
    if (acting?.isPaused === true && step.do !== "pause" && step.do !== "crash") {
      return;
    }
    this.#act(step, acting ?? (this.nodes[0] as SimNode));
    await settle();
    this.check();
  }

  #act(step: Step, acting: SimNode): void {
    switch (step.do) {
      case "spend": {
        const call = acting.spend(step.quantity);
        if (call !== undefined) {
          this.countAdmitted(call.limit.periodStartMs, step.quantity);
        }
        return;
      }
      case "message":
        this.network.apply(step.nth, step.fate, this.isReachable);
        return;
      case "settle": {
        const call = acting.takeCall(step.nth);
        if (call !== undefined) {
          acting.record(call);
        }
        return;
      }
      case "give back": {
        const call = acting.takeCall(step.nth);
        if (call !== undefined) {
          acting.holder.giveBack(call.hold);
          this.countAdmitted(call.limit.periodStartMs, -call.hold.quantity);
        }
        return;
      }
      case "close group":
        acting.closeGroup();
        return;
      case "upkeep":
        acting.upkeep(IDLE_MS);
        return;
      case "release":
        acting.holder.release(undefined);
        return;
      case "wait":
        this.waitFor(step.ms);
        return;
      case "suspend":
        // Time passes for all but this machine: its monotonic clock stops while it is suspended.
        this.waitFor(step.ms);
        acting.clockMs -= step.ms;
        return;
      case "set database clock":
        this.database.nowMs += step.ms;
        return;
      case "prune":
        this.database.forfeit((lease) => lease.expiresAtMs < this.database.nowMs);
        return;
      case "limit":
        acting.limit = step.limit;
        return;
      case "roll over":
        acting.period = acting.period === PERIODS[0] ? PERIODS[1] : PERIODS[0];
        return;
      case "pause":
        acting.isPaused = !acting.isPaused;
        return;
      case "crash":
        this.crash(step.node);
        return;
      default:
        step satisfies never;
    }
  }

  check(): void {
    assertHolds(this.database.unsettled === 0, "usage is committed within its lease");
    for (const lease of this.database.leases.values()) {
      assertHolds(lease.remaining + lease.settled === lease.granted, "remaining + spent = granted");
    }
    for (const period of PERIODS) {
      this.#checkPeriod(periodStartMs(period));
    }
  }

  #checkPeriod(period: number): void {
    const used = this.database.usedOf(period);
    const taken = used + this.database.heldOf(period);
    const admitted = this.admitted.get(period) ?? 0;
    // Processes may have different limits until all have heard of a change, and a message with an old one may be on its way.
    const inForce = Math.max(...this.nodes.map((each) => each.limit));
    const isQuiet = this.network.pending === 0;
    const before = this.ceilings.get(period) ?? 0;
    const ceiling = isQuiet
      ? Math.max(inForce, Math.min(before, taken))
      : Math.max(inForce, before);
    this.ceilings.set(period, ceiling);
    assertHolds(admitted <= taken, "admitted usage is covered by what is used or held");
    assertHolds(taken <= ceiling, "used + held + forfeited is within the limit");
    assertHolds(used <= admitted, "nothing is billed twice");
  }

  /** Delivers every message, in turn, because one may wait for the lock of a later one. */
  async deliverAll(): Promise<void> {
    for (let turn = 0; this.network.pending > 0; turn += 1) {
      this.network.apply(turn, "commit", () => true);
      await settle();
    }
    await settle();
  }

  /** Every process serves traffic under one limit until none has admitted a call for minutes. */
  async spendTheRest(limit: number): Promise<void> {
    // Past every deadline, at any time of the clock when it was set.
    this.database.nowMs += LONG_MS;
    for (let idleMs = 0; idleMs < NOTHING_ADMITTED_MS; idleMs += 1_500) {
      for (const each of this.nodes) {
        Object.assign(each, { isPaused: false, limit, period: PERIODS[0] });
        for (let call = each.takeCall(0); call !== undefined; call = each.takeCall(0)) {
          each.record(call);
        }
        for (const quantity of [30, 5, 1]) {
          if (each.spend(quantity) !== undefined) {
            this.countAdmitted(periodStartMs(PERIODS[0]), quantity);
            idleMs = 0;
          }
        }
        each.closeGroup();
        each.upkeep(IDLE_MS);
      }
      await this.deliverAll();
      this.waitFor(1_500);
      // A transaction of a crashed process may be committed after the crash.
      this.database.forfeit((lease) => lease.expiresAtMs < this.database.nowMs);
      this.check();
    }
  }

  /** Lets every process finish and give its leases back. */
  async drain(): Promise<void> {
    for (let round = 0; round < 6; round += 1) {
      for (const each of this.nodes) {
        each.isPaused = false;
        for (let call = each.takeCall(0); call !== undefined; call = each.takeCall(0)) {
          each.record(call);
        }
        each.holder.release(undefined);
        each.closeGroup();
        each.upkeep(IDLE_MS);
      }
      await this.deliverAll();
      this.waitFor(1_500);
      this.check();
    }
  }
}
