import type { Actor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { expect, it } from "vitest";
import { createWriteBudget } from "./write-budget.ts";

const key = (tenantId: string, id: string): Actor => ({
  type: "key",
  id,
  tenantId: tenantId as TenantId,
  scopes: [],
});
const person = (id: string, isOperator: boolean): Actor => ({
  type: "user",
  id: id as UserId,
  isOperator,
  roles: new Map(),
});

function refusalOf(work: () => void): AppError | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof AppError ? error : expect.fail(String(error));
  }
  return;
}

it("refuses a sender that changes too much, says when to come back, and lets all others go on", () => {
  let nowMs = 1_000_000;
  const { take } = createWriteBudget(60, () => nowMs);
  for (let count = 0; count < 60; count += 1) {
    // Two keys of one tenant are one sender.
    take(key("ten_a", `key_${String(count % 2)}`));
  }
  const refusal = refusalOf(() => take(key("ten_a", "key_2")));
  expect(refusal).toMatchObject({ code: "TOO_MANY_WRITES", headers: { "retry-after": "1" } });
  for (const other of [key("ten_b", "key_3"), person("usr_a", false)]) {
    expect(refusalOf(() => take(other))).toBeUndefined();
  }
  nowMs += 1_000;
  expect(refusalOf(() => take(key("ten_a", "key_0")))).toBeUndefined();
  expect(refusalOf(() => take(key("ten_a", "key_0")))?.code).toBe("TOO_MANY_WRITES");
});

it("lets the next changes of a sender wait for many that were made in one call, a minute at most", () => {
  let nowMs = 0;
  const { take, charge } = createWriteBudget(60, () => nowMs);
  take(key("ten_a", "key_0"));
  charge(key("ten_a", "key_0"), 499);
  expect(refusalOf(() => take(key("ten_a", "key_1")))?.code).toBe("TOO_MANY_WRITES");
  expect(refusalOf(() => take(key("ten_b", "key_2")))).toBeUndefined();
  nowMs += 1_000;
  expect(refusalOf(() => take(key("ten_a", "key_1")))?.code).toBe("TOO_MANY_WRITES");
  nowMs += 1_000;
  expect(refusalOf(() => take(key("ten_a", "key_1")))).toBeUndefined();
});

it("binds neither operators and their programs nor callers without a credential", () => {
  const { take } = createWriteBudget(1, () => 0);
  const free: (Actor | undefined)[] = [
    undefined,
    person("usr_op", true),
    { type: "service_key", id: "svc_1", scopes: [] },
    { type: "operator", id: "op" },
  ];
  for (const actor of free) {
    for (let count = 0; count < 100; count += 1) {
      expect(refusalOf(() => take(actor))).toBeUndefined();
    }
  }
});
