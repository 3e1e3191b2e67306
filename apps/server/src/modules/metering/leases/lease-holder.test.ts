import type { TenantId } from "@turnpike/domain/ids/ids";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { createSeededIds } from "@turnpike/testkit/seeded-ids";
import { describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import type { HardLimit } from "./lease-entry.ts";
import { LeaseHolder } from "./lease-holder.ts";
import type { LeaseGrant, LeaseLedger } from "./lease-ledger.ts";

const LIMIT: HardLimit = {
  tenantId: "ten_00000000000000000000000000000000" as TenantId,
  meterId: "tokens",
  environment: "live",
  periodStartMs: 0,
  periodEndMs: 1_000_000,
  limit: 1_000,
};

type Question = { answer(grant: Pick<LeaseGrant, "granted" | "left">): void };

/** A holder whose questions to the database the test answers. */
function openHolder() {
  const events: string[] = [];
  const questions: Question[] = [];
  const newId = createSeededIds(1);
  const ledger = {
    cut: (input) => {
      events.push("asked");
      const { promise, resolve } = Promise.withResolvers<LeaseGrant>();
      const leaseId = input.extend ?? input.newLeaseId;
      questions.push({
        answer: ({ granted, left }) => {
          input.countWanted(left + granted);
          resolve({ granted, left, leaseId, heldElsewhere: 0, isShort: false, isReported: false });
        },
      });
      return promise;
    },
  } as Pick<LeaseLedger, "cut"> as LeaseLedger;
  const holder = new LeaseHolder({
    ledger,
    clock: createFakeClock(),
    newId,
    processId: newId("process"),
    logger: createLogger({ level: "silent" }),
    flush: async () => void events.push("flushed"),
  });
  return { holder, questions, events };
}

describe("a call that uses more than was held for it", () => {
  it("is covered by an answer that was asked for before, and known to the database before the next", async () => {
    const { holder, questions, events } = openHolder();
    const first = holder.refill(LIMIT, 100);
    await expect.poll(() => questions).toHaveLength(1);
    questions[0]?.answer({ granted: 100, left: 900 });
    await first;
    const spent = holder.spend(LIMIT, 100);
    if (spent.status !== "spent") {
      throw new Error(`The units were ${spent.status}.`);
    }
    const second = holder.refill(LIMIT, 1);
    await expect.poll(() => questions).toHaveLength(2);
    expect(holder.settle(spent.hold, 700)).toBe(100);

    // This answer does not count the 600 units beyond the hold.
    questions[1]?.answer({ granted: 500, left: 400 });
    await second;
    expect(holder.remaining(LIMIT)).not.toBeGreaterThan(400);
    expect(holder.spend(LIMIT, 1).status).not.toBe("spent");

    events.length = 0;
    const third = holder.refill(LIMIT, 1);
    await expect.poll(() => questions).toHaveLength(3);
    expect(events).toEqual(["flushed", "asked"]);
    questions[2]?.answer({ granted: 1, left: 299 });
    await third;
    expect(holder.spend(LIMIT, 1).status).toBe("spent");
  });
});
