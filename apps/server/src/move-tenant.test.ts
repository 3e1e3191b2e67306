import type { TenantId } from "@turnpike/domain/ids/ids";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeDue, listInvoices } from "#modules/billing/index.ts";
import { act, recordUsage } from "#modules/billing/testing/billing.fixture.ts";
import { tenantPlans } from "#modules/entitlements/index.ts";
import { ensureUser } from "#modules/identity/index.ts";
import { cancelMove, checkMove, type MoveStep, moveTenant } from "#modules/moves/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import {
  type CellName,
  type Mover,
  makeCalls,
  makeMover,
  readAll,
  sendEvent,
  TwoTestCells,
  waitForCalls,
} from "./move-tenant.fixture.ts";
import { readChecksums } from "./one-of-everything.fixture.ts";

let cells: TwoTestCells;
beforeAll(async () => {
  cells = await TwoTestCells.make();
  await cells.makeCatalogs();
}, 300_000);
afterAll(() => cells.close());

/** What a move changes of a tenant's rows, and why. */
const CHANGED_TABLES: readonly string[] = [
  // Programs connect again.
  "agent_grants",
  // The move itself.
  "audit_entries",
  "changes",
  "tenant_moves",
  "moved_numbers",
  // Each has a revision of its cell.
  "documents",
  // What waited is cancelled.
  "exports",
  // Which processes have stopped serving it.
  "moving_stops",
  // Rows are numbered by their cell.
  "ledger_entries",
  "recent_usage",
  "credit_entries",
  "rejected_events",
];
/** What says where a tenant is, and is no part of it. */
const TRACES: readonly string[] = ["changes", "moved_members", "moved_numbers", "tenant_moves"];

const other = (cell: CellName): CellName => (cell === "east" ? "west" : "east");

async function move(
  from: CellName,
  tenantId: TenantId,
  more?: Parameters<TwoTestCells["toMove"]>[2],
) {
  return await moveTenant(cells.toMove(from, other(from), more), OPERATOR_CONTEXT, tenantId);
}

/** The sums of a tenant's tables in a cell, without those that a move changes. */
const sumsOf = (cell: CellName, tenantId: TenantId) => cells.sumsOf(cell, tenantId, CHANGED_TABLES);

/** The tables of a cell that have rows of a tenant. */
async function tablesWith(cell: CellName, tenantId: TenantId): Promise<string[]> {
  const sums = await readChecksums(cells.databaseOf(cell), tenantId);
  return [...sums].filter(([, sum]) => !sum.startsWith("0 ")).map(([table]) => table);
}

async function isIn(cell: CellName, tenantId: TenantId): Promise<boolean> {
  const rows = await cells.databaseOf(cell)
    .sql`select 1 from tenants where tenant_id = ${tenantId}`;
  return rows.length > 0;
}

async function unitsIn(cell: CellName, tenantId: TenantId): Promise<number> {
  const [row] = await cells.databaseOf(cell).sql<[{ units: number }]>`
    select coalesce(sum(quantity), 0)::float8 as units from ledger_entries where tenant_id = ${tenantId}`;
  return row.units;
}

describe("a tenant with one of everything", { timeout: 300_000 }, () => {
  let mover: Mover;
  beforeAll(async () => {
    mover = await makeMover(cells, "east", "mover");
  }, 120_000);

  it("has the same rows and answers in the other cell, and leaves only where it went", async () => {
    const { tenantId, ids } = mover;
    expect(await cells.findDrift()).toEqual([]);
    const answers = await cells.run("east", (app, all) => readAll(app, all, ids));
    expect(Object.keys(answers).length).toBeGreaterThan(40);
    const before = await sumsOf("east", tenantId);
    const moved = await move("east", tenantId);
    expect(moved).toMatchObject({
      tenantId,
      cell: "west",
      files: 1,
      missingFiles: [],
      lateRows: 0,
    });
    expect(await cells.findDrift()).toEqual([]);
    expect(await sumsOf("west", tenantId)).toEqual(before);
    const [there] = await cells.databaseOf("west").sql<{ version: number }[]>`
      select place_version::int as version from tenants where tenant_id = ${tenantId}`;
    expect(await cells.directoryOf("west").findTenant(tenantId)).toEqual({
      ...{ tenantId, cell: "west", state: "here", version: there?.version },
    });
    expect((await tablesWith("east", tenantId)).filter((one) => !TRACES.includes(one))).toEqual([]);
    expect(await cells.run("west", (app, all) => readAll(app, all, ids))).toEqual(answers);
  });

  it("goes on where it was: its key, its events, its file", async () => {
    const { tenantId, key, ids } = mover;
    const before = await unitsIn("west", tenantId);
    await cells.run("west", async (app, everything) => {
      await makeCalls(app, key, 2);
      expect(await sendEvent(app, everything, { tenantId, id: "first" })).toContain(
        '"duplicates":1',
      );
      expect(await sendEvent(app, everything, { tenantId, id: "second" })).toContain(
        '"accepted":1',
      );
      const file = await fetch(`${app.url}/v1/tenants/${tenantId}/files/${ids.fileId}/content`, {
        headers: { authorization: `Bearer ${everything}` },
      });
      expect(await file.text()).toBe("mover");
    });
    expect(await unitsIn("west", tenantId)).toBe(before + 3);
    await waitForCalls(cells, "west", tenantId, 12);
    await cells.run("east", async (app) => {
      const reply = await app.call(key, "GET", `/v1/tenants/${tenantId}`);
      expect(reply.json).toMatchObject({ code: "TENANT_ELSEWHERE", cell: "west" });
    });
    expect(await cells.findDrift()).toEqual([]);
  });

  it("takes no event while it is about to leave, and all of them afterwards", async () => {
    const { tenantId } = mover;
    const { sql } = cells.databaseOf("west");
    const setMoving = async (isMoving: boolean) => {
      await sql`
        update tenants set moving_since = ${isMoving ? new Date() : null} where tenant_id = ${tenantId}`;
      await sql`select record_change('tenant', ${tenantId}, ${tenantId})`;
    };
    await cells.run("west", async (app, everything) => {
      await setMoving(true);
      await app.hearChanges();
      const refused = await sendEvent(app, everything, { tenantId, id: "third" });
      expect(refused).toMatch(/^503 .*"TENANT_MOVING"/);
      await setMoving(false);
      await app.hearChanges();
      const taken = await sendEvent(app, everything, { tenantId, id: "third" });
      expect(taken).toContain('"accepted":1');
    });
  });

  it("comes back with what happened meanwhile, and with its numbers", async () => {
    const { tenantId } = mover;
    const before = await sumsOf("west", tenantId);
    await move("west", tenantId);
    expect(await sumsOf("east", tenantId)).toEqual(before);
    expect(await tablesWith("west", tenantId)).toEqual([
      "changes",
      "moved_members",
      "tenant_moves",
    ]);
    expect(await cells.databaseOf("east").sql`select 1 from moved_numbers`).toHaveLength(0);
    expect(await cells.findDrift()).toEqual([]);
  });

  it("is in one cell at every moment, and ends in the other one, wherever the move is killed", async () => {
    const { tenantId } = mover;
    const units = await unitsIn("east", tenantId);
    let cell: CellName = "east";
    const steps: MoveStep[] = [
      ...(["checked", "stopped", "parked", "copied", "taken-in"] as const),
      ...(["directed", "cleared", "done"] as const),
    ];
    for (const step of steps) {
      const before = await sumsOf(cell, tenantId);
      const killed = new Error(step);
      await expect(
        move(cell, tenantId, {
          onStep: async (reached) => {
            if (reached === step) {
              throw killed;
            }
          },
        }),
        step,
      ).rejects.toBe(killed);
      const places = [await isIn("east", tenantId), await isIn("west", tenantId)];
      expect(places.filter(Boolean).length, step).toBe(["parked", "copied"].includes(step) ? 0 : 1);
      expect(await cells.findDrift(), step).toEqual([]);
      const ended = await move(cell, tenantId).catch((error: unknown) => error);
      if (step !== "done") {
        expect(ended, step).toMatchObject({ tenantId });
      }
      expect(await isIn(cell, tenantId), step).toBe(false);
      cell = other(cell);
      expect(await sumsOf(cell, tenantId), step).toEqual(before);
      expect(await unitsIn(cell, tenantId), step).toBe(units);
      expect(await cells.findDrift(), step).toEqual([]);
      expect(await cells.databaseOf(other(cell)).sql`select 1 from parked_rows`).toHaveLength(0);
    }
  });

  it("stays where it is when its move is taken back, and moves later", async () => {
    const { tenantId } = mover;
    const cell: CellName = (await isIn("east", tenantId)) ? "east" : "west";
    for (const step of ["stopped", "parked", "copied"] as const) {
      const before = await sumsOf(cell, tenantId);
      await expect(
        move(cell, tenantId, {
          onStep: (at) => (at === step ? Promise.reject(new Error(at)) : Promise.resolve()),
        }),
      ).rejects.toThrow(step);
      await cancelMove(cells.toMove(cell, other(cell)), OPERATOR_CONTEXT, tenantId);
      expect(await sumsOf(cell, tenantId), step).toEqual(before);
      expect(await isIn(other(cell), tenantId), step).toBe(false);
      expect(await cells.findDrift(), step).toEqual([]);
      // Once more changes nothing.
      await cancelMove(cells.toMove(cell, other(cell)), OPERATOR_CONTEXT, tenantId);
    }
    await expect(
      move(cell, tenantId, {
        onStep: (at) => (at === "taken-in" ? Promise.reject(new Error(at)) : Promise.resolve()),
      }),
    ).rejects.toThrow("taken-in");
    await expect(
      cancelMove(cells.toMove(cell, other(cell)), OPERATOR_CONTEXT, tenantId),
    ).rejects.toMatchObject({ code: "CONFLICT", message: expect.stringContaining("already") });
    await move(cell, tenantId);
    expect(await isIn(other(cell), tenantId)).toBe(true);
    expect(await cells.findDrift()).toEqual([]);
  });
});

async function makeTenant(cell: CellName, name: string): Promise<TenantId> {
  const services = cells.servicesOf(cell);
  const made = await createTenant({ ...services, plans: tenantPlans }, OPERATOR_CONTEXT, { name });
  return made.tenantId;
}

describe("people of a tenant that moves", { timeout: 60_000 }, () => {
  const identity = { issuer: "https://id.example.com", subject: "same" };

  /** A person with an account of the built-in sign-in. */
  async function makeAccount(cell: CellName, accountId: string, userId: string): Promise<void> {
    const { sql } = cells.databaseOf(cell);
    await sql`
      insert into accounts (account_id, email, email_verified, password_hash, password_changed_at, mail_window_started_at,
        created_at, updated_at)
      values (${accountId}, ${`${accountId.slice(0, 5)}@example.com`}, true, 'hash', now(), now(), now(), now())`;
    await sql`
      insert into users (user_id, issuer, subject, created_at, updated_at, is_operator)
      values (${userId}, 'builtin', ${accountId}, now(), now(), true)`;
  }

  const listMembers = async (cell: CellName, tenantId: TenantId) =>
    (
      await cells.databaseOf(cell).sql<{ user_id: string }[]>`
        select user_id from members where tenant_id = ${tenantId} order by user_id`
    ).map((row) => row.user_id);

  it("are those whom the other cell knows, and copies of the others, who are no operators there", async () => {
    const tenantId = await makeTenant("east", "Peopled");
    const here = createLiveServices(cells.databaseOf("east"));
    const there = createLiveServices(cells.databaseOf("west"));
    const { userId: ours } = await ensureUser(here, OPERATOR_CONTEXT, identity);
    const { userId: theirs } = await ensureUser(there, OPERATOR_CONTEXT, identity);
    expect(theirs).not.toBe(ours);
    await makeAccount("east", "known_1", "usr_e1");
    await makeAccount("west", "known_9", "usr_w9");
    await makeAccount("east", "alone_1", "usr_e2");
    const { sql } = cells.databaseOf("east");
    await sql`
      insert into members (tenant_id, user_id, role, created_at)
      select ${tenantId}, user_id, 'owner', now() from unnest(${[ours, "usr_e1", "usr_e2"]}::text[]) user_id`;
    await sql`
      insert into notifications (tenant_id, notification_id, kind, title, body, created_at)
      values (${tenantId}, 'ntf_1', 'test.done', 'Done', '', now())`;
    await sql`
      insert into notification_reads (tenant_id, notification_id, reader, read_at)
      values (${tenantId}, 'ntf_1', ${`user:${ours}`}, now())`;
    const members = await listMembers("east", tenantId);
    await move("east", tenantId);
    expect(await listMembers("west", tenantId)).toEqual([theirs, "usr_e2", "usr_w9"].sort());
    const { sql: west } = cells.databaseOf("west");
    expect(await west`select reader from notification_reads where tenant_id = ${tenantId}`).toEqual(
      [{ reader: `user:${theirs}` }],
    );
    expect(
      await west`
        select u.is_operator, a.password_hash from users u join accounts a on a.account_id = u.subject
        where u.user_id = 'usr_e2'`,
    ).toEqual([{ is_operator: false, password_hash: "hash" }]);
    await move("west", tenantId);
    expect(await listMembers("east", tenantId)).toEqual(members);
    expect(await sql`select reader from notification_reads where tenant_id = ${tenantId}`).toEqual([
      { reader: `user:${ours}` },
    ]);
    expect(await sql`select is_operator from users where user_id = 'usr_e2'`).toEqual([
      { is_operator: true },
    ]);
  });
});

describe("what a tenant is billed", { timeout: 120_000 }, () => {
  it("is all of a period once, by the cell that it is in when the period ends", async () => {
    const tenantId = await makeTenant("east", "Billed");
    const start = new Date();
    await act(cells.toBilling("east", start), { tenantId }, { do: "subscribe", planId: "metered" });
    await recordUsage(cells.toBilling("east"), { tenantId, at: start, quantity: 250 });
    await move("east", tenantId);
    await recordUsage(cells.toBilling("west"), { tenantId, at: start, quantity: 50 });
    // Calls that a node recorded and that were in its journal.
    await recordUsage(cells.toBilling("east"), { tenantId, at: start, quantity: 7 });
    expect(await move("east", tenantId)).toMatchObject({ rows: 0, lateRows: expect.any(Number) });
    expect(await move("east", tenantId)).toMatchObject({ rows: 0, lateRows: 0 });
    expect(await unitsIn("east", tenantId)).toBe(0);
    expect(await unitsIn("west", tenantId)).toBe(307);
    const end = new Date(start);
    end.setUTCMonth(end.getUTCMonth() + 1);
    const later = new Date(end.getTime() + 3_600_000);
    await closeDue(cells.toBilling("east", later));
    await closeDue(cells.toBilling("west", later));
    const { items } = await listInvoices(cells.toBilling("west"), OPERATOR_CONTEXT, {
      ...{ tenantId, environment: "live", limit: 10 },
    });
    const year = String(later.getUTCFullYear());
    expect(items.map(({ number }) => number)).toEqual([
      expect.stringMatching(`^WEST-${year}-`),
      expect.stringMatching("^EAST-"),
    ]);
    // 31.00 in advance, and 207 requests beyond the 100 that are free.
    expect(items.map(({ net }) => net)).toEqual(["33.07", "31.00"]);
    expect(await cells.findDrift()).toEqual([]);
  });
});

describe("a move is refused, and changes nothing,", { timeout: 60_000 }, () => {
  async function faultsOf(tenantId: TenantId, more?: Parameters<TwoTestCells["toMove"]>[2]) {
    const deps = cells.toMove("east", "west", more);
    const faults = await checkMove(deps, tenantId);
    const before = await readChecksums(cells.databaseOf("east"), tenantId);
    await expect(moveTenant(deps, OPERATOR_CONTEXT, tenantId)).rejects.toMatchObject({
      code: "CONFLICT",
    });
    expect(await readChecksums(cells.databaseOf("east"), tenantId)).toEqual(before);
    expect(await isIn("west", tenantId)).toBe(false);
    return faults;
  }

  it("where the slug is taken", async () => {
    const tenantId = await makeTenant("east", "Namesake");
    await makeTenant("west", "Namesake");
    expect(await faultsOf(tenantId)).toEqual(["Another tenant has the slug namesake there."]);
  });

  it("where a secret differs", async () => {
    const tenantId = await makeTenant("east", "Secretive");
    await cells.databaseOf("west")
      .sql`update nodes set fingerprint = '{"TURNPIKE_SIGNING_SECRET":"other"}'`;
    try {
      expect(await faultsOf(tenantId)).toEqual([
        "TURNPIKE_SIGNING_SECRET differs in the other cell.",
      ]);
    } finally {
      await cells.databaseOf("west")
        .sql`update nodes set fingerprint = '{"TURNPIKE_SIGNING_SECRET":"equal"}'`;
    }
  });

  it("where the other cell runs another version", async () => {
    const tenantId = await makeTenant("east", "Versioned");
    const { sql } = cells.databaseOf("west");
    await sql`update nodes set version = '0.2.0'`;
    try {
      expect(await faultsOf(tenantId)).toEqual([
        "The other cell runs version 0.2.0 of Turnpike, and this one 0: bring both to one version.",
      ]);
    } finally {
      await sql`update nodes set version = '0'`;
    }
  });

  it("where its plan is missing or another one", async () => {
    const { sql } = cells.databaseOf("east");
    const tenantId = await makeTenant("east", "Planned");
    await sql`insert into plans (plan_id, latest_version, created_at) values ('own', 1, now())`;
    await sql`
      insert into plan_versions (plan_id, version, terms, published_at)
      select 'own', 1, terms, now() from plan_versions where plan_id = 'pro' and version = 1`;
    await sql`update tenant_entitlements set plan_id = 'own', plan_version = 1 where tenant_id = ${tenantId}`;
    expect(await faultsOf(tenantId)).toEqual(["The other cell has no plan own, version 1."]);
    const { sql: there } = cells.databaseOf("west");
    await there`insert into plans (plan_id, latest_version, created_at) values ('own', 1, now())`;
    await there`insert into plan_versions (plan_id, version, terms, published_at) values ('own', 1, '{}', now())`;
    expect(await faultsOf(tenantId)).toEqual([
      "The plan own, version 1 differs in the other cell.",
    ]);
  });

  it("where both cells number invoices in one series", async () => {
    const tenantId = await makeTenant("east", "Numbered");
    await act(cells.toBilling("east"), { tenantId }, { do: "subscribe", planId: "metered" });
    const series = `EAST-${String(new Date().getUTCFullYear())}`;
    const { sql } = cells.databaseOf("west");
    // As if both had the same prefix.
    await sql`
      insert into document_series (series, next, last_issued_at) values (${series}, 1, now())
      on conflict (series) do update set is_foreign = false`;
    try {
      expect(await faultsOf(tenantId)).toEqual([
        `Both cells number documents in the series ${series}. Give one of them other values of billing.invoicePrefix and creditNotePrefix.`,
      ]);
    } finally {
      await sql`update document_series set is_foreign = true where series = ${series}`;
    }
  });

  it("and later documents, where the other cell would number them in a series that came with a tenant", async () => {
    const tenantId = await makeTenant("east", "Prefixed");
    await act(cells.toBilling("east"), { tenantId }, { do: "subscribe", planId: "metered" });
    await move("east", tenantId);
    const neighbour = await makeTenant("west", "Neighbour");
    const billing = { ...cells.toBilling("west"), billing: cells.toBilling("east").billing };
    await expect(
      act(billing, { tenantId: neighbour }, { do: "subscribe", planId: "metered" }),
    ).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("for a tenant that is not there", async () => {
    await expect(
      moveTenant(cells.toMove("east", "west"), OPERATOR_CONTEXT, "nobody"),
    ).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
  });
});
