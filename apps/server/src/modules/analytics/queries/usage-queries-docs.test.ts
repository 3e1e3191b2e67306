import { readFileSync } from "node:fs";
import { meterInput } from "@turnpike/contract/catalog";
import { usageReport } from "@turnpike/contract/usage";
import { ALL_USAGE_DIMENSIONS, USAGE_MEASURES } from "@turnpike/contract/usage-query";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMeter } from "#modules/catalog/create-meter.ts";

const PAGE = readFileSync(
  new URL("../../../../../../docs/usage-queries.md", import.meta.url),
  "utf8",
);

function listExamples(heading: string): string[] {
  const [, section = ""] = PAGE.split(`## ${heading}\n`);
  const [, block = ""] = /```http\n([^`]*)```/.exec(section) ?? [];
  return block
    .trim()
    .split("\n")
    .map((line) => line.replace("GET ", ""));
}

let database: TestDatabase;
let app: TestApp;
let operator: string;
beforeAll(async () => {
  database = await createTestDatabase();
  app = await startTestApp(database);
  operator = await app.mintServiceKey(["usage:read"]);
  const common = { unit: "unit", eventType: "llm.call" };
  const dimensions = [{ name: "model", pointer: "/model" }];
  for (const meter of [
    { meterId: "tokens", name: "Tokens", aggregation: "sum", valuePointer: "/n", dimensions },
    { meterId: "users", name: "Users", aggregation: "unique_count", valuePointer: "/who" },
  ]) {
    const input = meterInput.parse({ ...common, ...meter });
    await createMeter(app.services, OPERATOR_CONTEXT, input);
  }
});
afterAll(async () => {
  await app.close();
  await database.close();
});

describe("docs/usage-queries.md", () => {
  it.each([...USAGE_MEASURES, ...ALL_USAGE_DIMENSIONS])("names %s", (word) => {
    expect(PAGE).toContain(`\`${word}\``);
  });

  it.each(listExamples("Examples"))("has an example that is answered: %s", async (path) => {
    const reply = await app.call(operator, "GET", path);
    expect(reply.status).toBe(200);
    if (!path.includes(".csv")) {
      usageReport.parse(reply.json);
    }
  });

  it.each(listExamples("What is refused"))(
    "has one that is refused, with the reason: %s",
    async (path) => {
      const reply = await app.call(operator, "GET", path);
      expect(reply.status).toBe(400);
      expect(reply.json).toMatchObject({ code: "INVALID_REQUEST" });
    },
  );
});
