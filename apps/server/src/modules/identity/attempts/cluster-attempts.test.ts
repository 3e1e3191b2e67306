import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createClusterRates } from "#platform/cluster-rates.ts";
import { createLogger } from "#platform/logger.ts";
import { openPostgresRateStore } from "#platform/postgres-rate-store.ts";
import { createClusterAttemptLimits } from "./attempt-limits.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const ADA = { email: "ada@example.test", network: "192.0.2.1" };
const LIMIT = 10;

it("attempts at several nodes count together, and one that is given back is free on each", async () => {
  const nodes = await Promise.all(
    ["one", "other"].map(async (member) => {
      const rates = createClusterRates({
        store: openPostgresRateStore(database.target),
        member,
        // Only ends what hangs.
        answerMs: 60_000,
        monotonicMs: () => performance.now(),
        logger: createLogger({ level: "silent" }),
      });
      await rates.start();
      return { rates, limits: createClusterAttemptLimits(rates, "test") };
    }),
  );
  const attempts = await Promise.allSettled(
    nodes.flatMap(({ limits }) => Array.from({ length: LIMIT }, () => limits.take("sign-in", ADA))),
  );
  expect(attempts.filter(({ status }) => status === "fulfilled")).toHaveLength(LIMIT);
  const [one, other] = nodes;
  await expect(other?.limits.take("sign-in", ADA)).rejects.toMatchObject({
    code: "TOO_MANY_ATTEMPTS",
  });
  one?.limits.giveBack("sign-in", ADA);
  // Queued behind what is given back.
  await one?.limits.take("sign-in", ADA);
  await expect(other?.limits.take("sign-in", ADA)).rejects.toMatchObject({
    code: "TOO_MANY_ATTEMPTS",
  });
  await Promise.all(nodes.map(({ rates }) => rates.close()));
});
