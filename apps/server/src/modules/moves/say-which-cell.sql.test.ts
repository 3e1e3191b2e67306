import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sayWhichCell } from "./say-which-cell.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`
    create function fail_with(state text) returns void language plpgsql as $$
      begin raise exception 'Says why.' using errcode = state; end $$`;
});
afterAll(() => database.close());

function failThere(state: string): Promise<unknown> {
  const services = createTestServices(database);
  const { there } = sayWhichCell({ here: services, there: services });
  return there.transact.asOperator((tx) => tx`select fail_with(${state})`);
}

describe("a failure of the other cell's database", () => {
  it.each([
    [
      "too many connections",
      "53300",
      /^The database of the other cell cannot be reached: Says why\. /,
    ],
    ["a shutdown", "57P01", /^The database of the other cell cannot be reached: Says why\. /],
    ["a full disk", "53100", /^The database of the other cell has no room: Says why\. /],
  ])("says of which cell: %s", async (_, state, message) => {
    await expect(failThere(state)).rejects.toMatchObject({
      code: "DATABASE_UNAVAILABLE",
      message: expect.stringMatching(message),
    });
  });

  it("stays as it is when it is any other", async () => {
    await expect(failThere("22012")).rejects.toMatchObject({ code: "22012", message: "Says why." });
  });
});
