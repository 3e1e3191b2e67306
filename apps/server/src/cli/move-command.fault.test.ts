import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { makeProductHome, type ProductHome } from "@turnpike/testkit/product";
import { databaseUrlOf, SHARED_SECRETS } from "@turnpike/testkit/product-process";
import {
  type RecordingUpstream,
  startRecordingUpstream,
} from "@turnpike/testkit/recording-upstream";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reconcileInvoices } from "#modules/billing/index.ts";
import { reconcile } from "#modules/metering/index.ts";

/** Ends what hangs. */
const DEADLINE_MS = 600_000;
const CALLERS = 4;
/** What a move says after its steps; it is killed when it has. */
const SAYS = [
  "No node serves it any more.",
  "Parked ",
  "Copied ",
  "The other cell has all rows",
  "Calls go to the other cell.",
];

type Cell = { home: ProductHome; database: TestDatabase; gateway: string; addressFile: string };

let shared: TestDatabase;
let folder: TempFolder;
let upstream: RecordingUpstream;
const cells = new Map<string, Cell>();

async function startCell(name: string): Promise<Cell> {
  const database = await createTestDatabase();
  const configPath = join(folder.path, `${name}.yaml`);
  const home = await makeProductHome({
    ...SHARED_SECRETS,
    TURNPIKE_CONFIG: configPath,
    TURNPIKE_DIRECTORY_URL: databaseUrlOf(shared),
    TURNPIKE_CELLS_SECRET: "the secret that all cells of this test share",
    DATABASE_URL: databaseUrlOf(database),
  });
  const gateway = `http://127.0.0.1:${home.environment["GATEWAY_PORT"] ?? ""}`;
  const config = [
    `cell: { name: ${name}, address: "${gateway}" }`,
    `upstreams: [{ name: api, url: "${upstream.url}" }]`,
    `billing: { invoicePrefix: ${name.toUpperCase()}, creditNotePrefix: C${name.toUpperCase()} }`,
  ];
  await writeFile(configPath, `${config.join("\n")}\n`);
  const addressFile = join(folder.path, `${name}.address`);
  await writeFile(addressFile, `${databaseUrlOf(database)}\n`);
  await home.startServer();
  return { home, database, gateway, addressFile };
}

const cellOf = (name: string) => cells.get(name) ?? expect.fail(name);

beforeAll(async () => {
  shared = await createTestDatabase();
  folder = await makeTempFolder();
  upstream = await startRecordingUpstream();
  for (const name of ["east", "west"]) {
    cells.set(name, await startCell(name));
  }
}, DEADLINE_MS);
afterAll(async () => {
  for (const { home } of cells.values()) {
    await home[Symbol.asyncDispose]();
  }
  await upstream.close();
  await Promise.all([...cells.values()].map(({ database }) => database.close()));
  await shared.close();
  await folder[Symbol.asyncDispose]();
}, DEADLINE_MS);

async function turnpike(name: string, ...args: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await cellOf(name).home.turnpike(...args, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Programs that call both gateways in turn with a key, and try again after a refusal. */
function startCallers(key: string) {
  const gateways = [...cells.values()].map(({ gateway }) => gateway);
  const answers = new Map<number, number>();
  let isOver = false;
  async function call(): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      const reply = await fetch(`${gateways[turn % gateways.length] ?? ""}/things`, {
        headers: { "x-api-key": key },
      });
      await reply.body?.cancel();
      answers.set(reply.status, (answers.get(reply.status) ?? 0) + 1);
      if (reply.status === 503) {
        expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
      }
    }
  }
  const callers = Promise.all(Array.from({ length: CALLERS }, call));
  callers.catch(() => undefined);
  return {
    passed: () => answers.get(200) ?? 0,
    async stop(): Promise<Map<number, number>> {
      isOver = true;
      await callers;
      return answers;
    },
  };
}

async function unitsIn(name: string, tenantId: TenantId): Promise<number> {
  const [row] = await cellOf(name).database.sql<[{ units: number }]>`
    select coalesce(sum(quantity), 0)::float8 as units from ledger_entries where tenant_id = ${tenantId}`;
  return row.units;
}

async function findDrift(): Promise<unknown[]> {
  const findings: unknown[] = [];
  for (const { database } of cells.values()) {
    const services = createLiveServices(database);
    findings.push(...(await reconcile(services, OPERATOR_CONTEXT)).findings);
    findings.push(...(await reconcileInvoices(services, OPERATOR_CONTEXT)).findings);
  }
  return findings;
}

describe("turnpike tenants move, between two cells that serve", { timeout: DEADLINE_MS }, () => {
  it("loses no call and counts none twice, however often it is killed", async () => {
    const { tenantId } = await turnpike("east", "tenants", "create", "--name", "Mover");
    const { key } = await turnpike(
      "east",
      ...["keys", "create", "--tenant", tenantId ?? "", "--name", "Key"],
    );
    const id = tenantId as TenantId;
    const move = ["tenants", "move", id, "--to"];
    const checked = await turnpike("east", ...move, cellOf("west").addressFile, "--dry-run");
    expect(checked).toMatchObject({ done: "checked", faults: [] });
    const callers = startCallers(key ?? "");
    let [from, to] = ["east", "west"];
    for (const line of SAYS) {
      const { home } = cellOf(from);
      const passed = callers.passed();
      await pollUntil("calls pass", () => callers.passed() > passed + 50, DEADLINE_MS);
      const program = home.run("apps/server/src/cli/main.ts", ...move, cellOf(to).addressFile);
      const ended = program.ended.then(() => true);
      await pollUntil(
        line,
        async () =>
          program.output().includes(line) || (await Promise.race([ended, Promise.resolve(false)])),
        DEADLINE_MS,
      );
      program.kill("SIGKILL");
      const { code } = await program.ended;
      if (code !== 0) {
        await turnpike(from, ...move, cellOf(to).addressFile);
      }
      expect(await unitsIn(from, id)).toBe(0);
      [from, to] = [to, from];
    }
    const passed = callers.passed();
    await pollUntil("calls pass", () => callers.passed() > passed + 50, DEADLINE_MS);
    const answers = await callers.stop();
    // Besides those that pass: refused by the rate limit of its plan, or because it moves.
    expect([...answers.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    const calls = answers.get(200) ?? 0;
    await pollUntil("every call is in the ledger", async () => (await unitsIn(from, id)) === calls);
    expect(await unitsIn(to, id)).toBe(0);
    expect(upstream.requests).toHaveLength(calls);
    expect(await findDrift()).toEqual([]);
  });

  it("says what stands against it", async () => {
    const { tenantId } = await turnpike("east", "tenants", "create", "--name", "Stayer");
    const move = (...args: string[]) =>
      cellOf("east").home.turnpike("tenants", "move", tenantId ?? "", ...args);
    const missing = await move("--to", "no-such-file");
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("no-such-file") });
    const own = await move("--to", cellOf("east").addressFile);
    expect(own).toMatchObject({ code: 1, stderr: expect.stringContaining("this very cell, east") });
    const both = await move("--to", cellOf("west").addressFile, "--dry-run", "--cancel");
    expect(both.code).toBe(2);
    await turnpike("west", "tenants", "create", "--name", "Stayer");
    const taken = await move("--to", cellOf("west").addressFile);
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining("slug stayer") });
  });
});
