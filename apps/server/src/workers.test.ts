import { randomUUID } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { minuteOf, periodAt, startOfMonth } from "@turnpike/domain/time/period";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeGroup } from "#modules/metering/ledger/group-record.ts";
import { openJournal } from "#platform/journal.ts";
import { adoptFormerWorkers } from "./start-workers.ts";
import { AT_ONCE, type Customer, type Fleet, QUOTA, RATE, startFleet } from "./workers.fixture.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(async () => {
  await fleet.close();
});

/** Calls until the quota is used up; leases are shared out again until then. */
async function useUp(customer: Customer): Promise<number> {
  let passed = 0;
  await pollUntil("the quota is used up", async () => {
    const [codes, statuses] = await Promise.all([
      fleet.verifyMany(customer.key, 300),
      fleet.callMany(customer.key, 300),
    ]);
    passed += (codes.get("VALID") ?? 0) + (statuses.get(200) ?? 0);
    return passed >= QUOTA;
  });
  return passed;
}

describe("several workers", () => {
  it("share the connections, and each says which it is", async () => {
    const lines = await fleet.openLines();
    expect(lines.map(({ worker }) => worker)).toEqual([1, 2, 3]);
    expect(fleet.fleet.states().map(({ isAlive, restarts }) => ({ isAlive, restarts }))).toEqual(
      Array.from({ length: fleet.workers }, () => ({ isAlive: true, restarts: 0 })),
    );
  });

  it("let exactly a hard quota pass, by verification and gateway, and the ledger holds as much", async () => {
    const customer = await fleet.createCustomer("capped");
    expect(await useUp(customer)).toBe(QUOTA);
    const after = await fleet.verifyMany(customer.key, 300);
    expect(Object.fromEntries(after)).toEqual({ QUOTA_EXCEEDED: 300 });
    await pollUntil("the ledger", async () => (await fleet.countLedger(customer)) >= QUOTA);
    expect(await fleet.countLedger(customer)).toBe(QUOTA);
    expect(await fleet.findDrift()).toBe(0);
  });

  it("let exactly a rate limit pass", async () => {
    const customer = await fleet.createCustomer("slow");
    const [codes, statuses] = await Promise.all([
      fleet.verifyMany(customer.key, 3 * RATE),
      fleet.callMany(customer.key, 3 * RATE),
    ]);
    expect((codes.get("VALID") ?? 0) + (statuses.get(200) ?? 0)).toBe(RATE);
    expect((codes.get("RATE_LIMITED") ?? 0) + (statuses.get(429) ?? 0)).toBe(5 * RATE);
  });

  it("let exactly as many calls be under way at once as the plan says", async () => {
    const customer = await fleet.createCustomer("few");
    const calls = await fleet.holdMany(customer.key, 60);
    const counts = (statuses: readonly number[]) =>
      [200, 429].map((status) => statuses.filter((one) => one === status).length);
    const [held = 0, refused = 0] = counts(calls.statuses);
    // Never more. Fewer only while several ask for the last permit in the same instant.
    expect(held).toBeLessThanOrEqual(AT_ONCE);
    expect(held + refused).toBe(60);
    const rest = await fleet.holdMany(customer.key, AT_ONCE - held + 5);
    expect(counts(rest.statuses)[0]).toBeLessThanOrEqual(AT_ONCE - held);
    calls.release();
    await pollUntil("all are over", () => calls.countOpen() + rest.countOpen() === 0);
    await pollUntil("permits are free again", async () => {
      const [passed = 0] = [...(await fleet.callMany(customer.key, 1)).keys()];
      return passed === 200;
    });
  });

  it("all cut the calls of a key that is revoked", async () => {
    const customer = await fleet.createCustomer("open");
    const calls = await fleet.holdMany(customer.key, 30);
    expect(calls.countOpen()).toBe(30);
    await fleet.revoke(customer);
    await pollUntil("all are cut", () => calls.countOpen() === 0);
    calls.release();
  });

  it("all refuse a key that was revoked", async () => {
    const customer = await fleet.createCustomer("open");
    const lines = await fleet.openLines();
    const codeOf = async (line: (typeof lines)[number]) =>
      (await line.post("/v1/keys/verify", { key: customer.key })).json["code"];
    expect(await Promise.all(lines.map(codeOf))).toEqual(["VALID", "VALID", "VALID"]);
    await fleet.revoke(customer);
    for (const line of lines) {
      await pollUntil("the key is revoked", async () => (await codeOf(line)) === "REVOKED");
    }
  });

  it("each give the first answer again", async () => {
    const customer = await fleet.createCustomer("slow");
    const headers = { "idempotency-key": randomUUID() };
    const replies = [];
    for (const line of await fleet.openLines()) {
      replies.push(await line.post("/v1/keys/verify", { key: customer.key }, headers));
    }
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const [line] = await fleet.openLines();
    const next = await line?.post("/v1/keys/verify", { key: customer.key });
    expect(next?.json["limits"]).toMatchObject([{ remaining: RATE - 2 }]);
  });

  it.each(["throw", "memory"] as const)(
    "go on when one of them dies (%s): nothing passes twice, nothing answered is lost, and it comes back",
    async (how) => {
      const capped = await fleet.createCustomer("capped");
      const slow = await fleet.createCustomer("slow");
      const open = await fleet.createCustomer("open");
      const before = fleet.fleet.states()[1]?.restarts ?? 0;
      let answered = 0;
      let lost = 0;
      let cappedPassed = 0;
      let slowPassed = 0;
      let isCrashed = false;
      await pollUntil("the worker is back", async () => {
        const [ofOpen, ofCapped, ofSlow] = await Promise.all([
          fleet.callMany(open.key, 100),
          fleet.callMany(capped.key, 50),
          fleet.callMany(slow.key, 50),
          isCrashed ? undefined : Promise.resolve(fleet.crash({ worker: 2, how })),
        ]);
        isCrashed = true;
        answered += ofOpen.get(200) ?? 0;
        lost += ofOpen.get(0) ?? 0;
        cappedPassed += ofCapped.get(200) ?? 0;
        slowPassed += ofSlow.get(200) ?? 0;
        const second = fleet.fleet.states()[1];
        return second?.isAlive === true && second.restarts > before && cappedPassed > 0;
      });
      expect(await fleet.openLines()).toHaveLength(fleet.workers);
      slowPassed += (await fleet.callMany(slow.key, 3 * RATE)).get(200) ?? 0;
      expect(slowPassed).toBeLessThanOrEqual(RATE);
      await fleet.callMany(capped.key, 2 * QUOTA);
      await pollUntil("the ledger", async () => (await fleet.countLedger(open)) >= answered);
      expect(await fleet.countLedger(open)).toBeLessThanOrEqual(answered + lost);
      expect(await fleet.countLedger(capped)).toBeLessThanOrEqual(QUOTA);
      expect(await fleet.findDrift()).toBe(0);
      const text = fleet.log.join("");
      expect(text).toContain('"worker":2');
    },
  );
});

describe("fewer workers than before", () => {
  it("take over what those left that are gone, and keep what a person must look at", async () => {
    const customer = await fleet.createCustomer("open");
    const now = new Date();
    const period = periodAt(startOfMonth(now), "month", now);
    const folderOf = (worker: number) => join(fleet.dataFolder, "workers", String(worker));
    const journal = await openJournal({
      folder: join(folderOf(7), "journal"),
      segmentBytes: 100_000,
    });
    const group = {
      groupId: fleet.services.newId("group"),
      processId: fleet.services.newId("process"),
      recordedAtMs: null,
      spends: [],
      entries: [
        {
          tenantId: customer.tenantId,
          keyId: customer.keyId,
          environment: "live" as const,
          meterId: "requests",
          outcome: "VALID" as const,
          status: 200,
          minuteMs: minuteOf(now.getTime()),
          periodStartMs: period.start.getTime(),
          periodEndMs: period.end.getTime(),
          calls: 5,
          quantity: 5,
        },
      ],
    };
    await journal.append(encodeGroup({ ...group })).durable;
    await journal.close();
    await mkdir(join(folderOf(8), "journal"), { recursive: true });
    await writeFile(join(folderOf(8), "journal", "0000000001.journal.damaged"), "?");

    await adoptFormerWorkers(fleet.installation, fleet.workers);
    await adoptFormerWorkers(fleet.installation, fleet.workers);
    expect(await fleet.countLedger(customer)).toBe(5);
    expect(await readdir(join(fleet.dataFolder, "workers"))).toEqual(["2", "3", "8"]);
  });
});

describe("a stop", () => {
  it("ends all of them and gives every lease back", async () => {
    const customer = await fleet.createCustomer("capped");
    const statuses = await fleet.callMany(customer.key, 100);
    expect(statuses.get(200)).toBe(100);
    await fleet.stop();
    expect(await fleet.countLedger(customer)).toBe(100);
    expect(await fleet.listLeases(customer)).toEqual([]);
    expect(fleet.log.join("")).not.toContain("did not stop cleanly");
  });
});
