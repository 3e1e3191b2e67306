import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTransact } from "#platform/transact.ts";
import { addToKeyBalances, type BalanceRow } from "./ledger.store.ts";

const KEYS = 1_000;
const ROUNDS = 5;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const rows: BalanceRow[] = Array.from({ length: KEYS }, (_, index) => ({
  tenantId: "ten_1" as TenantId,
  keyId: `key_${String(index).padStart(6, "0")}` as KeyId,
  meterId: "requests",
  environment: "live",
  periodStartMs: Date.UTC(2026, 0, 1),
  periodEndMs: Date.UTC(2026, 1, 1),
  quantity: 1,
}));

describe("balances of many keys", () => {
  it("are updated within their page, so that the index does not grow", async () => {
    const { sql } = database;
    const transact = createTransact(sql);
    const inPlace: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [counted] = await transact.asMeter(async (tx) => {
        await addToKeyBalances(tx, rows);
        return await tx<{ count: number }[]>`
          select pg_stat_get_xact_tuples_hot_updated('key_balances'::regclass)::int as count`;
      });
      inPlace.push(counted?.count ?? 0);
    }
    const [sums] = await sql<{ used: number }[]>`select sum(used)::int as used from key_balances`;
    expect(sums?.used).toBe(KEYS * (ROUNDS + 1));
    // The first round inserts them.
    expect(inPlace[0]).toBe(0);
    for (const count of inPlace.slice(1)) {
      expect(count).toBeGreaterThan(0.9 * KEYS);
    }
  });
});
