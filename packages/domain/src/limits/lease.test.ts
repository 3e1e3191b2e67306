import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type BalanceView,
  grantLease,
  LEASE_SAFETY_MS,
  LEASE_TTL_MS,
  leaseDeadlineMs,
  shouldRefill,
} from "./lease.ts";

const units = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 2 ** 40 }));
const balance: fc.Arbitrary<BalanceView> = fc.record({ limit: units, used: units, held: units });
const wanted = fc.integer({ min: 0, max: 1_000 });
const ratePerMs = fc.double({ min: 0, max: 1_000, noNaN: true });

describe("grantLease", () => {
  it("never grants more than is left, a fraction of a unit, or less than 0", () => {
    fc.assert(
      fc.property(balance, wanted, ratePerMs, (view, want, rate) => {
        const granted = grantLease(view, want, rate);
        const left = Math.max(0, view.limit - view.used - view.held);
        expect(granted).toBeLessThanOrEqual(left);
        expect(granted).toBeGreaterThanOrEqual(0);
        expect(Number.isInteger(granted)).toBe(true);
      }),
    );
  });

  it("grants what callers wait for as long as that much is left", () => {
    fc.assert(
      fc.property(balance, wanted, ratePerMs, (view, want, rate) => {
        const left = Math.max(0, view.limit - view.used - view.held);
        expect(grantLease(view, want, rate)).toBeGreaterThanOrEqual(Math.min(want, left));
      }),
    );
  });

  it("leaves most of what is left to others, even for a busy holder", () => {
    fc.assert(
      fc.property(balance, ratePerMs, (view, rate) => {
        const left = Math.max(0, view.limit - view.used - view.held);
        expect(grantLease(view, 1, rate)).toBeLessThanOrEqual(Math.max(1, left / 8));
        expect(grantLease(view, 0, rate)).toBeLessThanOrEqual(left / 8);
      }),
    );
  });

  it.each([
    [{ limit: 50_000, used: 0, held: 0 }, 1, 0, 20, "the smallest slice"],
    [{ limit: 100, used: 0, held: 0 }, 1, 1, 12, "an eighth of 100"],
    [{ limit: 10, used: 0, held: 0 }, 1, 0, 1, "of a small limit a small slice"],
    [{ limit: 100, used: 0, held: 0 }, 0, 0, 12, "also ahead of callers"],
    [{ limit: 7, used: 0, held: 0 }, 0, 100, 0, "the last units to callers alone"],
    [{ limit: 50_000, used: 0, held: 0 }, 1, 1, 5_000, "five seconds of use"],
    [{ limit: 50_000, used: 0, held: 0 }, 1, 100, 6_250, "an eighth of what is left"],
    [{ limit: 50_000, used: 0, held: 0 }, 300, 0, 300, "what is waited for"],
    [{ limit: 100, used: 90, held: 5 }, 1, 0, 1, "the last units, one by one"],
    [{ limit: 100, used: 90, held: 5 }, 9, 0, 5, "the rest"],
    [{ limit: 10, used: 8.5, held: 0 }, 2, 0, 1, "no fraction, which is room for no call"],
    [{ limit: 100, used: 100, held: 0 }, 1, 0, 0, "used up"],
    [{ limit: 0, used: 0, held: 0 }, 1, 1, 0, "a limit of nothing"],
    [{ limit: 10, used: 100, held: 50 }, 1, 1, 0, "a limit lowered below what is used"],
  ])("of %j, wanted %i at %d per ms, grants %i: %s", (view, want, rate, granted) => {
    expect(grantLease(view, want, rate)).toBe(granted);
  });
});

/** A process: what its lease held when cut, what it has spent, and what of that is committed. */
type Holder = { remaining: number; spentNotCommitted: number; inDatabase: number };

/** The balance row and its leases, as the database keeps them, with everything that was really spent beside it. */
class Model {
  readonly limit: number;
  used = 0;
  forfeited = 0;
  reallySpent = 0;
  readonly holders: Holder[];

  constructor(limit: number, holders: number) {
    this.limit = limit;
    this.holders = Array.from({ length: holders }, () => ({
      remaining: 0,
      spentNotCommitted: 0,
      inDatabase: 0,
    }));
  }

  get held(): number {
    return this.forfeited + this.holders.reduce((sum, holder) => sum + holder.inDatabase, 0);
  }

  acquire(holder: Holder, want: number, rate: number): void {
    const granted = grantLease({ limit: this.limit, used: this.used, held: this.held }, want, rate);
    holder.remaining += granted;
    holder.inDatabase += granted;
  }

  spend(holder: Holder, quantity: number): void {
    if (holder.remaining >= quantity) {
      holder.remaining -= quantity;
      holder.spentNotCommitted += quantity;
      this.reallySpent += quantity;
    }
  }

  commit(holder: Holder): void {
    this.used += holder.spentNotCommitted;
    holder.inDatabase -= holder.spentNotCommitted;
    holder.spentNotCommitted = 0;
  }

  giveBack(holder: Holder): void {
    this.commit(holder);
    holder.inDatabase = 0;
    holder.remaining = 0;
  }

  /** The journal saved some of what was spent; the rest of the lease is forfeited, spent or not. */
  crash(holder: Holder, savedPart: number): void {
    const saved = Math.floor(holder.spentNotCommitted * savedPart);
    this.used += saved;
    this.forfeited += holder.inDatabase - saved;
    Object.assign(holder, { remaining: 0, spentNotCommitted: 0, inDatabase: 0 });
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant("acquire" as const), who: fc.nat(), want: wanted, rate: ratePerMs }),
  fc.record({
    do: fc.constant("spend" as const),
    who: fc.nat(),
    quantity: fc.integer({ min: 1, max: 40 }),
  }),
  fc.record({ do: fc.constant("commit" as const), who: fc.nat() }),
  fc.record({ do: fc.constant("giveBack" as const), who: fc.nat() }),
  fc.record({
    do: fc.constant("crash" as const),
    who: fc.nat(),
    saved: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

describe("leases of several processes", () => {
  it("never overshoot: used + held + forfeited stays within the limit, and so does what was really spent", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { maxLength: 200 }),
        (limit, holders, steps) => {
          const model = new Model(limit, holders);
          for (const next of steps) {
            const holder = model.holders[next.who % holders] as Holder;
            switch (next.do) {
              case "acquire":
                model.acquire(holder, next.want, next.rate);
                break;
              case "spend":
                model.spend(holder, next.quantity);
                break;
              case "crash":
                model.crash(holder, next.saved);
                break;
              default:
                model[next.do](holder);
            }
            expect(model.used + model.held).toBeLessThanOrEqual(limit);
            expect(model.reallySpent).toBeLessThanOrEqual(limit);
            expect(holder.remaining + holder.spentNotCommitted).toBe(holder.inDatabase);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("spend the whole limit when no process crashes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: 1, max: 5 }),
        (limit, holders) => {
          const model = new Model(limit, holders);
          for (let round = 0; model.used < limit && round < limit; round += 1) {
            for (const holder of model.holders) {
              model.acquire(holder, 1, 0);
              model.spend(holder, holder.remaining);
              model.commit(holder);
            }
          }
          expect(model.used).toBe(limit);
        },
      ),
    );
  });
});

describe("shouldRefill", () => {
  it("asks for more under half of what was held", () => {
    expect(shouldRefill(10, 20)).toBe(false);
    expect(shouldRefill(9, 20)).toBe(true);
    expect(shouldRefill(0, 0)).toBe(false);
  });
});

describe("leaseDeadlineMs", () => {
  it("ends for its holder before the database lets others take the rest", () => {
    expect(leaseDeadlineMs(1_000)).toBe(1_000 + LEASE_TTL_MS - LEASE_SAFETY_MS);
    expect(LEASE_SAFETY_MS).toBeGreaterThan(0);
  });
});
