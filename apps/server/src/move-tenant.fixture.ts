import type { ConnectionTarget } from "@turnpike/db/client";
import { SCOPES, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { databaseUrlOf } from "@turnpike/testkit/product-process";
import { startTestApp, type TestApp } from "@turnpike/testkit/test-app";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createLiveServices,
  createTestServices,
  OPERATOR_CONTEXT,
} from "@turnpike/testkit/test-services";
import { expect } from "vitest";
import { type BillingDeps, reconcileInvoices } from "#modules/billing/index.ts";
import { publishPricedPlans, TEST_BILLING } from "#modules/billing/testing/billing.fixture.ts";
import { type CellDirectory, openCellDirectory } from "#modules/cells/index.ts";
import { createPostgresFileStore } from "#modules/files/index.ts";
import { reconcile, rollUpUsage } from "#modules/metering/index.ts";
import { type MoveDeps, sayWhichCell } from "#modules/moves/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemClock } from "#platform/clock.ts";
import { goodRequest, type Ids, METER, OPERATIONS } from "./good-requests.fixture.ts";
import { makeOneOfEverything, readChecksums } from "./one-of-everything.fixture.ts";

export type CellName = "east" | "west";

const SECRET = "TURNPIKE_SIGNING_SECRET";
/** A busy machine is slow, not away. */
const BUSY_ANSWER_MS = 60_000;
const CELLS_SECRET = "the secret that all cells of this test share";

/** Two installations, each with a database of its own, as they are when nothing of them runs, and their directory. */
export class TwoTestCells {
  readonly #databases = new Map<CellName, TestDatabase>();
  readonly #directories = new Map<CellName, CellDirectory>();
  readonly shared: TestDatabase;

  private constructor(shared: TestDatabase) {
    this.shared = shared;
  }

  static async make(): Promise<TwoTestCells> {
    const cells = new TwoTestCells(await createTestDatabase());
    for (const cell of ["east", "west"] as const) {
      const database = await createTestDatabase();
      cells.#databases.set(cell, database);
      cells.#directories.set(cell, cells.openDirectoryOf(cell));
      await database.sql`
        insert into nodes (node_id, name, version, fingerprint, started_at, seen_at)
        values ('nod_1', ${cell}, '0', ${database.sql.json({ [SECRET]: "equal" })}, now(), now())`;
    }
    return cells;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#directories.values()].map((directory) => directory.close()));
    const databases = [this.shared, ...this.#databases.values()];
    await Promise.all(databases.map((database) => database.close()));
  }

  /** @param target - Another way to the directory. */
  openDirectoryOf(cell: CellName, target: ConnectionTarget = this.shared.target): CellDirectory {
    return openCellDirectory({ target, secret: CELLS_SECRET, cell, answerMs: BUSY_ANSWER_MS });
  }

  directoryOf(cell: CellName): CellDirectory {
    return this.#directories.get(cell) ?? expect.fail(cell);
  }

  /** What use cases in a cell need: what they make is entered in the directory. */
  servicesOf(cell: CellName): AppServices {
    const services = createLiveServices(this.databaseOf(cell));
    return { ...services, cellEntries: this.directoryOf(cell) };
  }

  databaseOf(cell: CellName): TestDatabase {
    return this.#databases.get(cell) ?? expect.fail(cell);
  }

  /** Runs the product on the database of a cell, for as long as the work takes. */
  async run<Result>(
    cell: CellName,
    work: (app: TestApp, everything: string) => Promise<Result>,
  ): Promise<Result> {
    const prefix = cell.toUpperCase();
    const app = await startTestApp(this.databaseOf(cell), {
      env: {
        TURNPIKE_DIRECTORY_URL: databaseUrlOf(this.shared),
        TURNPIKE_CELLS_SECRET: CELLS_SECRET,
      },
      configText: `cell: { name: ${cell}, address: "http://127.0.0.1:3001" }\nbilling: { invoicePrefix: ${prefix}, creditNotePrefix: C${prefix} }\nfiles: { store: postgres }\n`,
    });
    try {
      return await work(app, await app.mintServiceKey(SCOPES));
    } finally {
      await app.close();
    }
  }

  /** What a move needs. */
  toMove(from: CellName, to: CellName, given: Partial<MoveDeps> = {}): MoveDeps {
    const { here: ours, there: theirs, ...more } = given;
    const { here, there } = sayWhichCell({
      here: ours ?? this.servicesOf(from),
      there: theirs ?? this.servicesOf(to),
    });
    return {
      here,
      there,
      directory: this.directoryOf(from),
      otherCell: to,
      stores: { from: createPostgresFileStore(here), to: createPostgresFileStore(there) },
      secretNames: [SECRET],
      timeoutMs: 5_000,
      report: () => undefined,
      ...more,
    };
  }

  /** What billing in a cell needs; `now` is what it takes for the time. */
  toBilling(cell: CellName, now = new Date()): AppServices & BillingDeps {
    const prefix = cell.toUpperCase();
    return {
      ...this.servicesOf(cell),
      clock: { ...systemClock, now: () => now },
      billing: { ...TEST_BILLING, invoicePrefix: prefix, creditNotePrefix: `C${prefix}` },
    };
  }

  /** Sums of a tenant's rows by table, but for some, and for the version of its place: each move counts that up. */
  async sumsOf(
    cell: CellName,
    tenantId: TenantId,
    except: readonly string[],
  ): Promise<[string, string][]> {
    const database = this.databaseOf(cell);
    const sums = await readChecksums(database, tenantId);
    const [tenant] = await database.sql<{ sum: string }[]>`
      select md5((to_jsonb(t) - 'place_version')::text) as sum from tenants t where tenant_id = ${tenantId}`;
    sums.set("tenants", tenant?.sum ?? "");
    return [...sums].filter(([table]) => !except.includes(table));
  }

  /** All differences that reconcile finds, of usage and of invoices, in both cells. */
  async findDrift(): Promise<unknown[]> {
    const findings: unknown[] = [];
    for (const cell of this.#databases.keys()) {
      const services = createLiveServices(this.databaseOf(cell));
      findings.push(...(await reconcile(services, OPERATOR_CONTEXT)).findings);
      findings.push(...(await reconcileInvoices(services, OPERATOR_CONTEXT)).findings);
    }
    return findings;
  }

  /** Puts the meter of events and priced plans into the catalogue of both cells, besides the sample's plans. */
  async makeCatalogs(): Promise<void> {
    for (const cell of this.#databases.keys()) {
      await this.run(cell, async (app, everything) => {
        expect((await app.call(everything, "POST", "/v1/meters", METER)).status).toBe(200);
      });
      await publishPricedPlans(createTestServices(this.databaseOf(cell)));
    }
  }
}

/** A tenant with one of everything, and the text of a live key of it. */
export type Mover = { ids: Ids; tenantId: TenantId; key: string };

/** Reports an event of a tenant. @returns The answer. */
export async function sendEvent(
  app: TestApp,
  everything: string,
  { tenantId, id }: { tenantId: TenantId; id: string },
): Promise<string> {
  const event = {
    ...{ specversion: "1.0", id, source: "test", type: METER.eventType, subject: tenantId },
  };
  const reply = await fetch(`${app.url}/v1/events`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${everything}`,
      "content-type": "application/cloudevents+json",
    },
    body: JSON.stringify(event),
  });
  return `${String(reply.status)} ${await reply.text()}`;
}

/** Makes calls through the gateway, each of which passes. */
export async function makeCalls(app: TestApp, key: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const reply = await fetch(`${app.gatewayUrl}/things/${String(index)}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await reply.body?.cancel();
    expect(reply.status).toBe(200);
  }
}

/** Waits until a cell has written so many recent calls of a tenant, which it does a moment after the calls. */
export async function waitForCalls(
  cells: TwoTestCells,
  cell: CellName,
  tenantId: TenantId,
  count: number,
): Promise<void> {
  await pollUntil("recent calls are written", async () => {
    const rows = await cells.databaseOf(cell).sql`
      select 1 from recent_calls where tenant_id = ${tenantId}`;
    return rows.length === count;
  });
}

/** Makes a tenant with one of everything, an invoice and usage of all kinds: in hours, in minutes, and not summed up yet. */
export async function makeMover(cells: TwoTestCells, cell: CellName, name: string): Promise<Mover> {
  const mover = await cells.run(cell, async (app, everything) => {
    const ids = await makeOneOfEverything(app, everything, name);
    const tenantId = ids.tenantId as TenantId;
    const key = await app.mintKey(tenantId, TENANT_KEY_SCOPES);
    const path = `/v1/tenants/${tenantId}/subscription`;
    const subscribe = { environment: "live", action: { do: "subscribe", planId: "pro" } };
    const quote = await app.call(everything, "POST", `${path}/quotes`, subscribe);
    const { at, hash } = quote.json;
    const changed = await app.call(everything, "POST", `${path}/changes`, {
      ...{ ...subscribe, at, hash },
    });
    expect(changed.status, changed.text).toBeLessThan(300);
    await app.hearChanges();
    await makeCalls(app, key, 3);
    expect(await sendEvent(app, everything, { tenantId, id: "first" })).toMatch(/^20\d /);
    return { ids, tenantId, key };
  });
  const services = createLiveServices(cells.databaseOf(cell));
  await rollUpUsage(services, "minutes");
  await rollUpUsage(services, "hours");
  await cells.run(cell, (app) => makeCalls(app, mover.key, 2));
  await rollUpUsage(services, "minutes");
  await cells.run(cell, (app) => makeCalls(app, mover.key, 4));
  await waitForCalls(cells, cell, mover.tenantId, 10);
  return mover;
}

/** Answers that a move changes, and what else differs from one moment to the next. */
const CHANGED = new Set([
  // Has an entry of the move.
  "tenants.listAudit",
  // Programs connect again.
  "agentGrants.list",
  // What waited is cancelled.
  "exports.list",
  "exports.get",
]);
const OF_THE_MOMENT =
  /"(revision|to|asOf|until|now|realNow|at|generatedAt|searchedFrom|keptFrom|requestId)":("[^"]*"|\d+)/g;

/** Reads everything of a tenant that the API answers. @returns The answers by operation, without what a clock says. */
export async function readAll(
  app: TestApp,
  everything: string,
  ids: Ids,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const operation of OPERATIONS) {
    const { id, method, path } = operation;
    if (method !== "GET" || CHANGED.has(id) || !/\{(tenantId|invoiceId|paymentId)\}/.test(path)) {
      continue;
    }
    const { path: target } = goodRequest(operation, ids);
    const reply = await app.call(everything, method, target);
    answers[id] = `${String(reply.status)} ${reply.text}`.replaceAll(OF_THE_MOMENT, '"$1":…');
  }
  return answers;
}
