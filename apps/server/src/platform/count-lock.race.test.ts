import type { TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { lockCountOf } from "./count-lock.store.ts";
import { createTransact, type Transact } from "./transact.ts";

let database: TestDatabase;
let transact: Transact;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
});
afterAll(() => database.close());

it("lets one writer at a time count what a tenant has of a kind, and delays no other kind or tenant", async () => {
  const ours = await insertTestTenant(database.sql);
  const theirs = await insertTestTenant(database.sql);
  let next: (() => void) | undefined;
  const isOver = new Promise<void>((resolve) => {
    next = resolve;
  });
  const order: string[] = [];
  let isHeld = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const take = (
    name: string,
    tenantId: TenantId,
    kind: "files" | "alerts",
    until?: Promise<void>,
  ) =>
    transact.asTenant(tenantId, async (tx) => {
      await lockCountOf(tx, kind, tenantId);
      order.push(name);
      isHeld();
      await until;
    });
  const first = take("first", ours, "files", isOver);
  await held;
  const second = take("second", ours, "files");
  await take("other kind", ours, "alerts");
  await take("other tenant", theirs, "files");
  expect(order).toEqual(["first", "other kind", "other tenant"]);
  next?.();
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "other kind", "other tenant", "second"]);
});
