import { auditEntry } from "@turnpike/contract/audit";
import type { Tx } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
  type TwoTenants,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceKey } from "#modules/keys/index.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import type { Transact } from "#platform/transact.ts";
import { exportAudit } from "./export-audit.ts";
import {
  type AuditFilters,
  type AuditSource,
  LOOKED_AT_MAX,
  selectLookedAt,
} from "./find-entries.store.ts";
import { listAllAudit, listAudit, listInstallationAudit } from "./list-audit.ts";
import { writeAudit } from "./write-audit.ts";

let database: TestDatabase;
let services: TestServices;
let tenants: TwoTenants;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  tenants = await createTwoTenants(services);
});
afterAll(() => database.close());

const EVENT = { action: "test.done", entityType: "test", entityId: "test_1" };

describe("the audit trail", () => {
  it("records who did what to what, in which request", async () => {
    const { tenantId } = tenants.ours;
    await services.transact.asTenant(tenantId, (tx) =>
      writeAudit(services, tx, tenants.ours.context, { ...EVENT, tenantId, details: { n: 1 } }),
    );
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 1 });
    expect(auditEntry.parse(items[0])).toMatchObject({
      ...EVENT,
      actorType: "key",
      actorId: tenants.ours.context.actor.id,
      requestId: "req_test",
      occurredAt: services.clock.now().toISOString(),
      details: { n: 1 },
    });
  });

  it("fails closed: a change without an entry does not happen", async () => {
    const { tenantId } = tenants.ours;
    const taken = services.newId("audit");
    const colliding: TestServices = { ...services, newId: (() => taken) as TestServices["newId"] };
    await updateTenant(colliding, OPERATOR_CONTEXT, { tenantId, name: "First" });
    await expect(
      updateTenant(colliding, OPERATOR_CONTEXT, { tenantId, name: "Second" }),
    ).rejects.toThrow();
    const [row] = await database.sql`select name from tenants where tenant_id = ${tenantId}`;
    expect(row?.["name"]).toBe("First");
  });

  it("keeps no entry of a change that was rolled back", async () => {
    const { tenantId } = tenants.ours;
    const count = async () =>
      (await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 })).items.length;
    const before = await count();
    await refusalOf(updateTenant(services, OPERATOR_CONTEXT, { tenantId, planId: "nope" }));
    expect(await count()).toBe(before);
  });

  it("of another tenant is as invisible as that of a missing tenant", async () => {
    const read = (tenantId: TwoTenants["ours"]["tenantId"]) =>
      refusalOf(listAudit(services, tenants.ours.context, { tenantId, limit: 10 }));
    const other = await read(tenants.theirs.tenantId);
    const missing = await read(services.newId("tenant"));
    expect(other).toMatchObject({ code: "RESOURCE_NOT_FOUND", message: missing.message });
    const rows = await services.transact.asTenant(
      tenants.ours.tenantId,
      (tx) => tx<{ tenant_id: string }[]>`select distinct tenant_id from audit_entries`,
    );
    expect(rows.map((row) => row.tenant_id)).toEqual([tenants.ours.tenantId]);
  });

  it("of a missing tenant is not found, not even by operators; without entries it is empty", async () => {
    const read = (tenantId: TwoTenants["ours"]["tenantId"]) =>
      listAudit(services, OPERATOR_CONTEXT, { tenantId, entityId: "key_none", limit: 10 });
    expect(await refusalOf(read(services.newId("tenant")))).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
      message: "There is no such tenant.",
    });
    expect(await read(tenants.ours.tenantId)).toEqual({ items: [], nextCursor: null });
  });

  it("of the installation is in no tenant's trail", async () => {
    const key = await createServiceKey(services, OPERATOR_CONTEXT, {
      name: "Audited",
      scopes: ["tenants:read"],
    });
    for (const { tenantId } of [tenants.ours, tenants.theirs]) {
      const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
      expect(items.map((entry) => entry.entityId)).not.toContain(key.serviceKeyId);
    }
    const rows = await database.sql`
      select tenant_id from audit_entries where entity_id = ${key.serviceKeyId}`;
    expect([...rows]).toEqual([{ tenant_id: "operator" }]);
    const trail = await listInstallationAudit(services, OPERATOR_CONTEXT, {
      entityId: key.serviceKeyId,
      limit: 10,
    });
    expect(trail.items.map((entry) => auditEntry.parse(entry).action)).toEqual([
      "service_key.created",
    ]);
  });

  it("of the installation is only for the operator's actors, page by page, without tenants' entries", async () => {
    for (const actor of [
      tenants.ours.context.actor,
      contextOf({ type: "service_key", id: "svc_1", scopes: ["tenants:read"] }).actor,
    ]) {
      const refusal = await refusalOf(
        listInstallationAudit(services, contextOf(actor), { limit: 1 }),
      );
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    }
    const reader = contextOf({ type: "service_key", id: "svc_2", scopes: ["audit:read"] });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listInstallationAudit(services, reader, { cursor, limit: 2 });
      seen.push(...page.items.map((entry) => entry.auditId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const rows = await database.sql<{ audit_id: string }[]>`
      select audit_id from audit_entries where tenant_id = 'operator' order by audit_id desc`;
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual(rows.map((row) => row.audit_id));
  });

  const rolesAndChanges = (["asTenant", "asOperator"] as const).flatMap((role) =>
    (["update", "delete", "truncate"] as const).map((change) => [role, change] as const),
  );
  it.each(rolesAndChanges)("refuses to let %s %s entries", async (role, change) => {
    const { tenantId } = tenants.ours;
    const work: Parameters<Transact["asOperator"]>[0] = (tx) =>
      change === "update"
        ? tx`update audit_entries set action = 'forged'`
        : change === "delete"
          ? tx`delete from audit_entries`
          : tx`truncate audit_entries`;
    const attempt =
      role === "asTenant"
        ? services.transact.asTenant(tenantId, work)
        : services.transact.asOperator(work);
    const code = await attempt.then(() => "done", databaseErrorCode);
    expect(code).toBe("42501");
  });

  it("accepts no entry for another tenant from a tenant's transaction", async () => {
    const attempt = services.transact.asTenant(tenants.ours.tenantId, (tx) =>
      writeAudit(services, tx, tenants.ours.context, {
        ...EVENT,
        tenantId: tenants.theirs.tenantId,
      }),
    );
    expect(await attempt.then(() => "done", databaseErrorCode)).toBe("42501");
  });

  it("is read with audit:read only, and paged", async () => {
    const { tenantId } = tenants.ours;
    const context = contextOf({ type: "service_key", id: "svc_1", scopes: ["tenants:read"] });
    const refusal = await refusalOf(listAudit(services, context, { tenantId, limit: 1 }));
    expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    const all = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listAudit(services, OPERATOR_CONTEXT, { tenantId, cursor, limit: 2 });
      seen.push(...page.items.map((entry) => entry.auditId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(all.items.map((entry) => entry.auditId));
  });

  it("of one entity contains nothing else, page by page, and nothing of other tenants", async () => {
    const { ours, theirs } = tenants;
    const write = (tenantId: typeof ours.tenantId, entityId: string) =>
      services.transact.asTenant(tenantId, (tx) =>
        writeAudit(services, tx, contextOf({ type: "system", id: "test" }), {
          ...EVENT,
          entityId,
          tenantId,
        }),
      );
    await write(ours.tenantId, "test_one");
    await write(ours.tenantId, "test_two");
    await write(ours.tenantId, "test_one");
    await write(theirs.tenantId, "test_one");
    const read = (cursor?: string) =>
      listAudit(services, OPERATOR_CONTEXT, {
        tenantId: ours.tenantId,
        entityId: "test_one",
        cursor,
        limit: 1,
      });
    const first = await read();
    const second = await read(first.nextCursor ?? undefined);
    const entries = [...first.items, ...second.items];
    expect(entries.map((entry) => entry.entityId)).toEqual(["test_one", "test_one"]);
    expect(new Set(entries.map((entry) => entry.auditId)).size).toBe(2);
    expect(second.nextCursor).toBe(null);
  });
});

describe("a filtered audit trail", () => {
  type Written = { at: number; action: string; entityId: string; actor?: string; details?: object };
  const START = Date.parse("2026-03-01T00:00:00.000Z");

  async function writeTrail(tenantId: TwoTenants["ours"]["tenantId"], entries: Written[]) {
    await services.transact.asTenant(tenantId, async (tx) => {
      for (const { at, action, entityId, actor = "usr_one", details = {} } of entries) {
        const [noun = ""] = action.split(".");
        await tx`
          insert into audit_entries (tenant_id, audit_id, occurred_at, actor_type, actor_id, action, entity_type, entity_id, request_id, details)
          values (${tenantId}, ${services.newId("audit")}, ${new Date(START + at)}, 'user', ${actor}, ${action}, ${noun},
            ${entityId}, null, ${tx.json(details as never)})`;
      }
    });
  }

  async function readAll(
    tenantId: TwoTenants["ours"]["tenantId"],
    question: Omit<Parameters<typeof listAudit>[2], "tenantId" | "limit">,
  ) {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const input = { ...question, tenantId, cursor, limit: 2 };
      const page = await listAudit(services, OPERATOR_CONTEXT, input);
      seen.push(...page.items.map((entry) => entry.entityId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return seen;
  }

  it("has what each filter leaves, and what they leave together, each once and newest first", async () => {
    const { tenantId } = await createTestTenant(services, "Filtered");
    await writeTrail(tenantId, [
      { at: 0, action: "member.added", entityId: "e0", details: { role: [null, "viewer"] } },
      { at: 1, action: "member.removed", entityId: "e1", actor: "usr_two" },
      { at: 2, action: "member_card.added", entityId: "e2" },
      { at: 3, action: "key.created", entityId: "e3", details: { name: "Maps of the North" } },
      { at: 4, action: "key.updated", entityId: "e4", details: { name: ["Old", "North 50%"] } },
      {
        at: 5,
        action: "invitation.created",
        entityId: "e5",
        details: { email: "ada@north.example" },
      },
      { at: 5, action: "member.added", entityId: "e6", details: { hidden: "north" } },
    ]);
    const at = (ms: number) => new Date(START + ms).toISOString();
    const within = { from: at(0), to: at(1_000) };
    const cases: [Parameters<typeof readAll>[1], string[]][] = [
      [within, ["e6", "e5", "e4", "e3", "e2", "e1", "e0"]],
      [{ from: at(1), to: at(4) }, ["e3", "e2", "e1"]],
      [{ action: "member", ...within }, ["e6", "e1", "e0"]],
      [{ action: "member.added", ...within }, ["e6", "e0"]],
      [{ actorId: "usr_two" }, ["e1"]],
      [{ actorId: "usr_one", action: "member" }, ["e6", "e0"]],
      [{ entityId: "e3", actorId: "usr_two" }, []],
      [{ entityId: "e3", actorType: "user" }, ["e3"]],
      [{ actorType: "system", ...within }, []],
      [{ search: "NORTH" }, ["e5", "e4", "e3"]],
      [{ search: "50%" }, ["e4"]],
      [{ search: "%", ...within }, ["e4"]],
      [{ search: "north", action: "key" }, ["e4", "e3"]],
    ];
    for (const [question, expected] of cases) {
      expect(await readAll(tenantId, question), JSON.stringify(question)).toEqual(expected);
    }
    const backwards = { tenantId, from: at(2), to: at(2), limit: 1 };
    expect(await refusalOf(listAudit(services, OPERATOR_CONTEXT, backwards))).toMatchObject({
      ...{ code: "INVALID_REQUEST", errors: [{ pointer: "/to" }] },
    });
  });

  it("looks at a bounded number of entries a page, and finds what is rare over several", async () => {
    const { tenantId } = await createTestTenant(services, "Long");
    await database.sql`
      insert into audit_entries (tenant_id, audit_id, occurred_at, actor_type, actor_id, action, entity_type, entity_id)
      select ${tenantId}, 'aud_' || lpad(to_hex(n), 32, '0'), ${new Date(START)}::timestamptz + n * interval '1 second', 'user',
        case when n % 20 = 0 then 'usr_idle' else 'usr_busy' end, case when n = 1 then 'rare.thing' else 'common.thing' end, 'thing', 'thing_' || n
      from generate_series(1, ${LOOKED_AT_MAX * 2 + 5}) n`;
    const question = { tenantId, search: "rare", limit: 10 };
    const pages: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await listAudit(services, OPERATOR_CONTEXT, { ...question, cursor });
      pages.push(page.items.length);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages).toEqual([0, 0, 1]);

    // Each filter has an index with its condition and its order: a plan that sorts would read a whole trail for a page.
    const none = {
      entityId: undefined,
      actorId: undefined,
      actorType: undefined,
      action: undefined,
    };
    const filters = { ...none, from: undefined, to: undefined, search: undefined };
    const cases: [AuditSource, Partial<typeof filters | AuditFilters>, string][] = [
      [{ trail: tenantId }, { entityId: "thing_7" }, "audit_entries_of_entity"],
      [{ trail: tenantId }, { actorId: "usr_idle" }, "audit_entries_of_actor"],
      [{ trail: tenantId }, { action: "rare" }, "audit_entries_of_noun"],
      [{ trail: tenantId }, { from: new Date(START) }, "audit_entries_by_time"],
      ["tenants", {}, "audit_entries_of_tenants"],
      ["tenants", { actorId: "usr_idle" }, "audit_entries_of_tenants_by_actor"],
    ];
    await database.sql`analyze audit_entries`;
    for (const [source, filter, index] of cases) {
      const inRole = (work: (tx: Tx) => Promise<{ "QUERY PLAN": string }[]>) =>
        source === "tenants"
          ? services.transact.asOperator(work)
          : services.transact.asTenant(tenantId, work);
      const plan = await inRole(async (tx) => {
        const input = {
          filters: { ...filters, ...filter },
          before: { occurredAt: new Date(START + 9e9), auditId: "aud_5" },
        };
        const { lookedAt } = selectLookedAt(tx, source, input);
        return await tx<{ "QUERY PLAN": string }[]>`explain (costs off) ${lookedAt} limit 100`;
      });
      const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
      expect(text, JSON.stringify(filter)).toContain(`using ${index} on`);
      expect(text, JSON.stringify(filter)).not.toMatch(
        /Sort|Filter: \(\(?(entity|actor|noun|row)/i,
      );
    }
  });

  it("of all tenants names each tenant, deleted ones too, and is for operators alone", async () => {
    const { tenantId } = await createTestTenant(services, "Named");
    await writeTrail(tenantId, [{ at: 0, action: "thing.done", entityId: "one_of_all" }]);
    await database.sql`update tenants set deleted_at = now() where tenant_id = ${tenantId}`;
    const { items } = await listAllAudit(services, OPERATOR_CONTEXT, {
      ...{ entityId: "one_of_all", limit: 10 },
    });
    expect(items).toMatchObject([{ tenantId, tenantName: "Named", action: "thing.done" }]);
    const all = await listAllAudit(services, OPERATOR_CONTEXT, { limit: 100 });
    expect(all.items.map((entry) => entry.tenantId)).not.toContain("operator");
    for (const actor of [
      tenants.ours.context.actor,
      contextOf({ type: "service_key", id: "svc_1", scopes: ["tenants:read"] }).actor,
    ]) {
      const refusal = await refusalOf(listAllAudit(services, contextOf(actor), { limit: 1 }));
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    }
  });

  it("is exported whole, as CSV without formulas or as JSON lines, with nothing of others, and the trail says who did", async () => {
    const { tenantId } = await createTestTenant(services, "Exported");
    const count = 1_203;
    await database.sql`
      insert into audit_entries (tenant_id, audit_id, occurred_at, actor_type, actor_id, action, entity_type, entity_id, details)
      select ${tenantId}, 'aud_' || lpad(to_hex(n), 32, '0'), ${new Date(START)}::timestamptz + n * interval '1 second', 'user',
        'usr_one', 'thing.done', 'thing', case when n = 5 then '=cmd()' else 'thing_' || n end, '{"name": "a, b"}'
      from generate_series(1, ${count}) n`;
    const read = async (format: "csv" | "jsonl", context = OPERATOR_CONTEXT) => {
      const question = { action: "thing" };
      const lines: string[] = [];
      for await (const line of exportAudit(services, context, {
        ...{ trail: tenantId, format, question },
      })) {
        lines.push(line);
      }
      return lines.join("");
    };
    const csv = (await read("csv")).trimEnd().split("\r\n");
    expect(csv).toHaveLength(count + 1);
    expect(csv[0]).toBe(
      "occurred_at,actor_type,actor_id,action,entity_type,entity_id,request_id,details",
    );
    expect(csv.at(-5)).toContain(`,"'=cmd()",,`);
    expect(csv.at(-1)).toBe(
      '2026-03-01T00:00:01.000Z,user,usr_one,thing.done,thing,thing_1,,"{""name"":""a, b""}"',
    );
    const lines = (await read("jsonl")).trimEnd().split("\n");
    expect(lines.map((line) => auditEntry.parse(JSON.parse(line)).entityId)).toHaveLength(count);
    const { items } = await listAudit(services, OPERATOR_CONTEXT, {
      ...{ tenantId, action: "audit", limit: 10 },
    });
    const noted = items.map(({ action, details }) => ({ action, details }));
    const filters = { action: "thing" };
    expect(noted).toEqual([
      { action: "audit.exported", details: { format: "jsonl", filters } },
      { action: "audit.exported", details: { format: "csv", filters } },
    ]);
    expect((await refusalOf(read("csv", tenants.ours.context))).code).toBe("RESOURCE_NOT_FOUND");
  });
});
