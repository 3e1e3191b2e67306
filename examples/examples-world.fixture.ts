import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { type RunningProgram, startProgram } from "@turnpike/testkit/program";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { expect } from "vitest";

export type Customer = { tenantId: string; key: string; keyId: string };

export type RunningExample = { program: RunningProgram; url: string };

/** The product, and what the examples need of it. */
export type ExamplesWorld = {
  app: TestApp;
  database: TestDatabase;
  /** A service key that makes customers. */
  operator: string;
  /** The service key of the examples. */
  serviceKey: string;
  makeCustomer(key?: object): Promise<Customer>;
  usageOf(customer: Customer): Promise<{ calls: number; units: number }>;
  /** Starts `examples/<name>/server.ts` and waits until it listens. */
  startExample(name: string): Promise<RunningExample>;
  /** Runs `examples/curl/verify.sh`. */
  verify(
    key: string,
    options?: { cost?: number; url?: string; serviceKey?: string },
    // biome-ignore lint/suspicious/noExplicitAny: a wrong name in a test shows as a failure of that test
  ): Promise<{ code: number; json: any }>;
  close(): Promise<void>;
};

const CATALOG = {
  meters: [{ meterId: "requests", name: "Requests", unit: "request", aggregation: "count" }],
  plans: [
    { planId: "all", name: "All", scopes: ["tiles:read"] },
    { planId: "none", name: "None", quotas: [{ meter: "requests", limit: 0, kind: "hard" }] },
    {
      planId: "two-a-minute",
      name: "Two",
      rateLimits: [{ name: "burst", limit: 2, windowSeconds: 60 }],
    },
  ],
};

export async function openExamplesWorld(): Promise<ExamplesWorld> {
  const database = await createTestDatabase();
  const app = await startTestApp(database);
  const operator = await app.mintServiceKey(["tenants:write", "catalog:write", "keys:write"]);
  const examplesKey = await app.mintServiceKey(["keys:verify"]);
  expect((await app.call(operator, "PUT", "/v1/catalog", CATALOG)).status).toBe(200);
  let customers = 0;

  return {
    app,
    database,
    operator,
    serviceKey: examplesKey,
    async makeCustomer(key = {}) {
      customers += 1;
      const tenantId = await app.mintTenant(`Customer ${String(customers)}`);
      const path = `/v1/tenants/${tenantId}/keys`;
      const made = await app.call(operator, "POST", path, { name: "Key", ...key });
      expect(made.status).toBe(201);
      return { tenantId, key: String(made.json.key), keyId: String(made.json.keyId) };
    },
    async usageOf({ tenantId }) {
      const [row] = await database.sql<{ calls: number; units: number }[]>`
        select coalesce(sum(calls), 0)::int as calls, coalesce(sum(quantity), 0)::int as units
        from ledger_entries where tenant_id = ${tenantId}`;
      return row ?? { calls: 0, units: 0 };
    },
    async startExample(name) {
      const program = startProgram({
        script: `examples/${name}/server.ts`,
        env: {
          // What is published is built; in the repository its source runs.
          NODE_OPTIONS: "--conditions=turnpike-source",
          PORT: "0",
          TURNPIKE_URL: app.url,
          TURNPIKE_SERVICE_KEY: examplesKey,
        },
      });
      const failed = program.ended.then(({ stderr }) => {
        throw new Error(`examples/${name} ended: ${stderr}`);
      });
      failed.catch(() => undefined);
      const isListening = pollUntil("the example listens", () => {
        return /Listening on .*?(?:"port":|127\.0\.0\.1:)(\d+)/.exec(program.output())?.[1];
      });
      const port = await Promise.race([failed, isListening]);
      return { program, url: `http://127.0.0.1:${port}` };
    },
    async verify(key, { cost, url = app.url, serviceKey = examplesKey } = {}) {
      const script = join(import.meta.dirname, "curl/verify.sh");
      return await promisify(execFile)(script, cost === undefined ? [] : [String(cost)], {
        env: {
          PATH: process.env["PATH"],
          API_KEY: key,
          TURNPIKE_URL: url,
          TURNPIKE_SERVICE_KEY: serviceKey,
        },
      }).then(
        ({ stdout }) => ({ code: 0, json: JSON.parse(stdout) }),
        (error: { code: number; stdout: string }) => ({
          code: error.code,
          json: error.stdout.startsWith("{") ? JSON.parse(error.stdout) : undefined,
        }),
      );
    },
    async close() {
      await app.close();
      await database.close();
    },
  };
}
