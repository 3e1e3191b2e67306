import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTransact } from "#platform/transact.ts";
import { listTables } from "./schema.store.ts";
import {
  COPIED_TABLES,
  ENDED_TABLES,
  LATE_TABLES,
  MOVED_TABLES,
  STAYING_TABLES,
} from "./tables-of-tenant.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const LISTS = {
  MOVED_TABLES: [...MOVED_TABLES],
  ENDED_TABLES: Object.keys(ENDED_TABLES),
  COPIED_TABLES: Object.keys(COPIED_TABLES),
  STAYING_TABLES: Object.keys(STAYING_TABLES),
};

describe("the tables of the schema", () => {
  it("each have a decision for a tenant that moves", async () => {
    const tables = await createTransact(database.sql).asOperator(listTables);
    const decided = Object.values(LISTS).flat();
    expect(
      tables.map(({ name }) => name).filter((name) => !decided.includes(name)),
      "say in tables-of-tenant.ts whether the table moves, and if not, why",
    ).toEqual([]);
    const names = new Set(tables.map(({ name }) => name));
    expect(decided.filter((name) => !names.has(name))).toEqual([]);
    expect(decided.filter((name, index) => decided.indexOf(name) !== index)).toEqual([]);
  });

  it("have a tenant exactly when rows of theirs leave with it, or stay to say where it is", async () => {
    const tables = await createTransact(database.sql).asOperator(listTables);
    const ofTenants = tables.filter(({ isOfTenants }) => isOfTenants).map(({ name }) => name);
    const leaving = [...LISTS.MOVED_TABLES, ...LISTS.ENDED_TABLES];
    expect(leaving.filter((name) => !ofTenants.includes(name))).toEqual([]);
    expect(ofTenants.filter((name) => !leaving.includes(name)).sort()).toEqual([
      "changes",
      "moved_members",
      "moved_numbers",
      "parked_files",
      "parked_rows",
      "tenant_moves",
    ]);
    expect(Object.keys(LATE_TABLES).filter((name) => !leaving.includes(name))).toEqual([]);
  });
});
