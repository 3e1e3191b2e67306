import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, type Sql } from "./client.ts";

const CONNECTIONS = 6;

let database: TestDatabase;
let pool: Sql;
/** Names of the transactions that have a connection, in the order in which they got it. */
let begun: string[];
const over = new Map<string, () => void>();
const running: Promise<void>[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  begun = [];
  pool = connect(database.target, {
    connectionsMax: CONNECTIONS,
    applicationName: "shares",
    statementTimeoutMs: 30_000,
    // Limits of minutes: nothing here ends by one.
    isStarting: () => true,
  });
});
afterEach(async () => {
  for (const end of over.values()) {
    end();
  }
  await Promise.all(running.splice(0));
  over.clear();
  await pool.end();
});

/** Begins a transaction that goes on until it is ended. */
function begin(name: string, holder?: string): void {
  const end = new Promise<void>((resolve) => over.set(name, resolve));
  const work = async (): Promise<void> => {
    begun.push(name);
    await end;
  };
  running.push(pool.transaction(work, holder === undefined ? {} : { holder }));
}

const haveBegun = (names: string[]) =>
  expect.poll(() => begun).toEqual(expect.arrayContaining(names));

/** What waits has had every chance to begin once a transaction has come and gone. */
async function expectBegun(names: string[]): Promise<void> {
  await haveBegun(names);
  await pool.transaction((tx) => tx`select 1`);
  expect(begun.toSorted()).toEqual(names.toSorted());
}

describe("shares of the connections", () => {
  it("leaves as many free as one holder has, and gives them to the next at once", async () => {
    for (let index = 0; index < 10; index += 1) {
      begin(`flood ${String(index)}`, "flood");
    }
    await expectBegun(["flood 0", "flood 1", "flood 2"]);
    begin("other 0", "other");
    begin("other 1", "other");
    // Two of six stay free when both would have two: the second of the other one must wait.
    await expectBegun(["flood 0", "flood 1", "flood 2", "other 0"]);
    over.get("flood 0")?.();
    // Of those that wait, the one with the fewest connections is next.
    await haveBegun(["other 1"]);
    expect(begun).not.toContain("flood 3");
  });

  it("lets what serves all take any connection, before all holders that wait", async () => {
    for (let index = 0; index < 4; index += 1) {
      begin(`flood ${String(index)}`, "flood");
    }
    await haveBegun(["flood 0", "flood 1", "flood 2"]);
    for (let index = 0; index < 4; index += 1) {
      begin(`all ${String(index)}`);
    }
    await haveBegun(["all 0", "all 1", "all 2"]);
    begin("other", "other");
    over.get("flood 0")?.();
    await haveBegun(["all 3"]);
    expect(begun).not.toContain("other");
    over.get("flood 1")?.();
    await haveBegun(["other"]);
    expect(begun).not.toContain("flood 3");
  });

  it("serves holders with as many connections in the order in which they came, each of them likewise", async () => {
    for (let index = 0; index < CONNECTIONS; index += 1) {
      begin(`all ${String(index)}`);
    }
    await haveBegun(Array.from({ length: CONNECTIONS }, (_, index) => `all ${String(index)}`));
    const order = ["a 0", "b 0", "a 1", "c 0", "b 1"];
    for (const name of order) {
      begin(name, name.slice(0, 1));
    }
    for (const [index, name] of order.entries()) {
      over.get(order[index - 1] ?? "all 0")?.();
      await haveBegun([name]);
      expect(begun.slice(CONNECTIONS)).toEqual(order.slice(0, index + 1));
    }
  });

  it("forgets a holder whose transactions failed", async () => {
    const failing = Array.from({ length: 20 }, () =>
      pool.transaction(() => Promise.reject(new Error("no")), { holder: "failing" }),
    );
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    for (let index = 0; index < 3; index += 1) {
      begin(`failing ${String(index)}`, "failing");
    }
    await expectBegun(["failing 0", "failing 1", "failing 2"]);
  });
});
