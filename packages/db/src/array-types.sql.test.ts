import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ARRAY_TYPES } from "./array-types.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe("arrays", () => {
  it("of any texts and nulls come back from the server as they were sent", async () => {
    const text = fc.string({ unit: "binary" }).filter((value) => !value.includes("\0"));
    const awkward = fc.constantFrom("", "NULL", "null", '"', "\\", "{}", "a,b", "{", " x ", "\n");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.constant(null), awkward, text)), async (items) => {
        const sent = items.map((item) => item?.toWellFormed() ?? null);
        const [row] = await database.sql<{ items: (string | null)[] }[]>`
          select ${sent}::text[] as items`;
        expect(row?.items).toEqual(sent);
      }),
    );
  });

  it("of every kind the product uses have a type of their own", async () => {
    const at = new Date("2026-01-15T10:00:00.123Z");
    const [row] = await database.sql`
      select ${[-1, 2]}::smallint[] as smallints, ${[1, 2]}::int[] as integers, ${["9007199254740993"]}::bigint[] as bigints,
        ${["0.10", null]}::numeric[] as numerics, ${[at.toISOString()]}::timestamptz[] as times, array['a'::name] as names,
        '{}'::text[] as none`;
    expect(row).toEqual({
      smallints: [-1, 2],
      integers: [1, 2],
      bigints: [9007199254740993n],
      numerics: ["0.10", null],
      times: [at],
      names: ["a"],
      none: [],
    });
  });

  it("have the numbers that the server has for them", async () => {
    const oids = Object.values(ARRAY_TYPES).map((type) => type.to);
    const rows = await database.sql<{ oid: number; name: string }[]>`
      select oid::int as oid, typname::text as name from pg_type where oid::int = any(${oids}::int[]) order by oid::int`;
    expect(rows.map((row) => row.name)).toEqual([
      "_name",
      "_int2",
      "_int4",
      "_text",
      "_int8",
      "_timestamptz",
      "_numeric",
    ]);
  });
});
