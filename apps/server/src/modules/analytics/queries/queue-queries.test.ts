import { type Actor, nameSenderIn } from "@turnpike/domain/access/actor";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { expect, it, onTestFinished } from "vitest";
import { createQueue } from "./queue-queries.ts";

const TENANT = "ten_flood" as TenantId;
const OPERATOR = "operator cli";
const FLOOD = tenantNamed("flood");

function tenantNamed(tenant: string): string {
  return `ten_${tenant}`;
}

/** Work that ends on request, or with the test: what still waited then would be refused a minute later. */
function makeWork() {
  const ends: (() => void)[] = [];
  const started: string[] = [];
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    for (const end of ends) {
      end();
    }
  });
  return {
    started,
    work: (id: string) => () =>
      new Promise<string>((resolve) => {
        started.push(id);
        ends.push(() => resolve(id));
        if (isOver) {
          resolve(id);
        }
      }),
    endOldest: () => ends.shift()?.(),
  };
}

it("runs as many at once as allowed, and the others of a sender in order", async () => {
  const inTurn = createQueue({ running: 4, waiting: 10, waitMs: 60_000 });
  const { work, started, endOldest } = makeWork();
  const all = ["1", "2", "3", "4"].map((id) => inTurn(OPERATOR, work(id)));
  expect(started).toEqual(["1", "2"]);
  endOldest();
  await all[0];
  await expect.poll(() => started).toEqual(["1", "2", "3"]);
  endOldest();
  await all[1];
  await expect.poll(() => started).toEqual(["1", "2", "3", "4"]);
  endOldest();
  endOldest();
  expect(await Promise.all(all)).toEqual(["1", "2", "3", "4"]);
});

it("always leaves room for others beside a tenant that floods with several members and keys", async () => {
  const inTurn = createQueue({ running: 4, waiting: 10, waitMs: 60_000 });
  const { work, started } = makeWork();
  const roles = new Map([[TENANT, "viewer" as const]]);
  const senders: Actor[] = [
    { type: "user", id: "usr_1" as UserId, isOperator: false, roles },
    { type: "user", id: "usr_2" as UserId, isOperator: false, roles },
    { type: "key", id: "key_1", tenantId: TENANT, scopes: [] },
    { type: "key", id: "key_2", tenantId: TENANT, scopes: [] },
  ];
  for (const actor of senders) {
    void inTurn(nameSenderIn(actor, TENANT), work(actor.id));
  }
  void inTurn(tenantNamed("other"), work("other"));
  expect(started).toEqual(["usr_1", "usr_2", "other"]);
});

it("counts an operator who looks at a tenant apart from its members", () => {
  const operator: Actor = {
    type: "user",
    id: "usr_9" as UserId,
    isOperator: true,
    roles: new Map([[TENANT, "owner"]]),
  };
  expect(nameSenderIn(operator, TENANT)).toBe("user usr_9");
});

it("lets senders take turns: a single question does not wait for all earlier ones of another sender", async () => {
  const inTurn = createQueue({ running: 2, waiting: 20, waitMs: 60_000 });
  const { work, started, endOldest } = makeWork();
  for (const tenant of ["a", "b"]) {
    for (const id of [1, 2, 3]) {
      void inTurn(tenantNamed(tenant), work(`${tenant}${String(id)}`));
    }
  }
  void inTurn(tenantNamed("late"), work("late"));
  expect(started).toEqual(["a1", "b1"]);
  endOldest();
  await expect.poll(() => started).toEqual(["a1", "b1", "a2"]);
  endOldest();
  await expect.poll(() => started).toEqual(["a1", "b1", "a2", "b2"]);
  endOldest();
  endOldest();
  await expect.poll(() => started.slice(4)).toEqual(["late", "a3"]);
});

it("refuses a flood before it fills the queue, and takes the questions of others", async () => {
  const inTurn = createQueue({ running: 2, waiting: 10, waitMs: 60_000 });
  const { work } = makeWork();
  const flood = () => inTurn(FLOOD, work("flood"));
  void flood();
  for (let waiting = 0; waiting < 5; waiting += 1) {
    void flood();
  }
  const refusal = await refusalOf(flood());
  expect(refusal).toMatchObject({ code: "OVERLOADED", headers: { "retry-after": "5" } });
  expect(refusal.message).toContain("of your questions");
  void inTurn(OPERATOR, work("running"));
  void inTurn(OPERATOR, work("waiting"));
});

it("gives the permit of failed work to the next", async () => {
  const inTurn = createQueue({ running: 1, waiting: 10, waitMs: 60_000 });
  const failed = inTurn(OPERATOR, () => Promise.reject(new Error("no")));
  const next = inTurn(OPERATOR, () => Promise.resolve("next"));
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
  expect(await inTurn(OPERATOR, () => Promise.resolve("after"))).toBe("after");
});

it("refuses questions when the queue is full, and those that have waited too long", async () => {
  const inTurn = createQueue({ running: 1, waiting: 1, waitMs: 20 });
  const { work, endOldest } = makeWork();
  const running = inTurn(OPERATOR, work("1"));
  const waits = refusalOf(inTurn(OPERATOR, work("2")));
  expect(await refusalOf(inTurn(FLOOD, work("3")))).toMatchObject({ code: "OVERLOADED" });
  expect(await waits).toMatchObject({ code: "OVERLOADED" });
  endOldest();
  expect(await running).toBe("1");
  expect(await inTurn(OPERATOR, () => Promise.resolve("free"))).toBe("free");
});
