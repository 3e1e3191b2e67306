import { deletedTenant } from "@turnpike/contract/tenants";
import { TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  createTestUser,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { createKey } from "#modules/keys/create-key.ts";
import { createTenant } from "./create-tenant.ts";
import { deleteTenant } from "./delete-tenant.ts";
import { getTenant } from "./get-tenant.ts";
import { listDeletedTenants } from "./list-deleted-tenants.ts";
import { listTenants } from "./list-tenants.ts";
import { purgeTenants } from "./purge-tenants.ts";
import { putMember } from "./put-member.ts";
import { restoreTenant } from "./restore-tenant.ts";
import { roleDirectory } from "./role-directory.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const SIGNAL = new AbortController().signal;

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

const remove = (tenantId: TenantId, name: string, context = OPERATOR_CONTEXT) =>
  deleteTenant(services, context, { tenantId, name });
const restore = (tenantId: TenantId) => restoreTenant(services, OPERATOR_CONTEXT, { tenantId });
const listDeleted = async () =>
  (await listDeletedTenants(services, OPERATOR_CONTEXT, { limit: 100 })).items;

function makeKey(tenantId: TenantId, name = "Maps of the north") {
  return createKey(services, OPERATOR_CONTEXT, {
    tenantId,
    name,
    environment: "live",
    scopes: [],
    metadata: { customer: "northern" },
  });
}

async function rolesOf(userId: Parameters<typeof roleDirectory.listRoles>[1][number]) {
  const roles = await services.transact.asOperator((tx) => roleDirectory.listRoles(tx, [userId]));
  return [...(roles.get(userId) ?? [])];
}

async function countRows(table: string, tenantId: TenantId): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from ${database.sql(table)} where tenant_id = ${tenantId}`;
  return row?.count ?? 0;
}

/** Adds one resource of every kind that a tenant can have. */
async function furnish(tenantId: TenantId): Promise<void> {
  await makeKey(tenantId);
  await database.sql`
    with file as (
      insert into files (tenant_id, file_id, name, media_type, bytes, sha256, created_at, created_by)
      values (${tenantId}, 'file_1', 'logo.png', 'image/png', 1, '\\x00', now(), 'user:usr_1')
    ), document as (
      insert into documents (tenant_id, collection, document_id, revision, body, updated_at, updated_by)
      values (${tenantId}, 'settings', 'main', 1, '{"a": 1}', now(), 'user:usr_1')
    ), notice as (
      insert into notifications (tenant_id, notification_id, kind, title, body, created_at)
      values (${tenantId}, 'ntf_1', 'test', 'A title', 'A body', now())
    ), invitation as (
      insert into invitations (tenant_id, invitation_id, email, role, token_hash, created_at, created_by, expires_at)
      values (${tenantId}, 'ivt_1', 'guest@example.com', 'viewer', convert_to(${tenantId}, 'UTF8'), now(), 'user:usr_1',
        now() + interval '7 days')
    ), endpoint as (
      insert into webhook_endpoints
        (tenant_id, webhook_id, url, description, event_types, state, secret, created_at, updated_at)
      values (${tenantId}, 'whk_1', 'https://hooks.example.com', '', '{*}', 'enabled', 'sealed', now(), now())
    ), export as (
      insert into exports (tenant_id, export_id, name, format, state, question, from_at, to_at, parts_total, created_at,
        created_by)
      values (${tenantId}, 'exp_1', 'All', 'csv', 'running', '{}', now(), now(), 2, now(), 'user:usr_1')
    ), alert as (
      insert into alerts (tenant_id, alert_id, name, query, window_minutes, condition, for_evaluations, mail_roles, phase,
        streak, next_evaluation_at, created_at, updated_at)
      values (${tenantId}, 'alt_1', 'Errors', '{}', 5, '{}', 1, '{}', 'ok', 0, now(), now(), now())
    ), call as (
      insert into recent_calls (tenant_id, request_id, occurred_at, key_id, environment, meter_id, quantity, method, route,
        status, outcome)
      values (${tenantId}, 'req_1', now(), 'key_1', 'live', 'requests', 1, 'GET', '/', 200, 'VALID')
    ), omitted as (
      insert into omitted_calls (tenant_id, minute, calls) values (${tenantId}, now(), 1)
    )
    insert into quota_alert_settings (tenant_id, thresholds, mail_roles, updated_at)
    values (${tenantId}, '{50}', '{}', now())`;
  await database.sql`
    insert into webhook_deliveries
      (tenant_id, webhook_id, message_id, event_type, payload, state, next_attempt_at, created_at)
    values (${tenantId}, 'whk_1', 'msg_1', 'key.created', '{}', 'pending', now(), now())`;
}

const TABLES_OF_PEOPLE = [
  "members",
  "invitations",
  "files",
  "documents",
  "notifications",
  "webhook_endpoints",
  "webhook_deliveries",
  "exports",
  "alerts",
  "quota_alert_settings",
  "recent_calls",
  "omitted_calls",
];

describe("deleteTenant", () => {
  it("requires the exact name and does nothing without it", async () => {
    const { tenantId } = await createTestTenant(services, "Blue Heron");
    for (const name of ["blue heron", "Blue Heron ", ""]) {
      expect(await refusalOf(remove(tenantId, name))).toMatchObject({
        code: "INVALID_REQUEST",
        errors: [{ pointer: "/name" }],
      });
    }
    expect((await getTenant(services, OPERATOR_CONTEXT, { tenantId })).name).toBe("Blue Heron");
  });

  it("hides it from members, lists, roles, and operators who do not ask for deleted tenants", async () => {
    const { tenantId } = await createTestTenant(services, "Unseen");
    const owner = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    await remove(tenantId, "Unseen", owner.context);
    expect(await rolesOf(owner.userId)).toEqual([]);
    expect(await refusalOf(getTenant(services, OPERATOR_CONTEXT, { tenantId }))).toMatchObject({
      code: "RESOURCE_NOT_FOUND",
    });
    for (const context of [owner.context, OPERATOR_CONTEXT]) {
      const { items } = await listTenants(services, context, { limit: 100 });
      expect(items.filter((item) => item.tenantId === tenantId)).toEqual([]);
    }
    const deleted = (await listDeleted()).find((item) => item.tenantId === tenantId);
    expect(deletedTenant.parse(deleted)).toMatchObject({
      name: "Unseen",
      deletedAt: services.clock.now().toISOString(),
      deletedBy: `user:${owner.userId}`,
      purgedAt: null,
    });
  });

  it("lists deleted tenants page by page, the most recently deleted first", async () => {
    const names = ["Oldest", "Middle", "Newest"];
    const tenants = [];
    for (const name of names) {
      tenants.push({ name, ...(await createTestTenant(services, name)) });
    }
    // Of two deleted within the same millisecond, the newer tenant comes first.
    const [oldest, middle, newest] = tenants;
    for (const tenant of [newest, middle, oldest]) {
      await remove(tenant?.tenantId ?? expect.fail(), tenant?.name ?? expect.fail());
      services.clock.advance(tenant === newest ? 1_000 : 0);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listDeletedTenants(services, OPERATOR_CONTEXT, { cursor, limit: 1 });
      seen.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.slice(0, 3)).toEqual(["Middle", "Oldest", "Newest"]);
    expect(seen).toEqual((await listDeleted()).map(({ name }) => name));
    const refusal = await refusalOf(
      listDeletedTenants(services, OPERATOR_CONTEXT, { cursor: tenants[0]?.tenantId, limit: 1 }),
    );
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST", errors: [{ pointer: "/cursor" }] });
  });

  it("hides its resources from its members, and shows them again once it is restored", async () => {
    const { tenantId } = await createTestTenant(services, "Emptied");
    await createTestUser(services, { roles: [[tenantId, "owner"]] });
    await furnish(tenantId);
    const seen = () =>
      services.transact.asTenant(tenantId, async (tx) => {
        const tables: string[] = [];
        for (const table of [...TABLES_OF_PEOPLE, "api_keys"]) {
          const rows = await tx`select 1 from ${tx(table)}`;
          tables.push(...(rows.length > 0 ? [table] : []));
        }
        return tables;
      });
    expect(await seen()).toEqual([...TABLES_OF_PEOPLE, "api_keys"]);
    await remove(tenantId, "Emptied");
    expect(await seen()).toEqual([]);
    await restore(tenantId);
    expect(await seen()).toEqual([...TABLES_OF_PEOPLE, "api_keys"]);
  });

  it("ends keys, invitations, webhooks, deliveries and exports, and audits who did it", async () => {
    const { tenantId } = await createTestTenant(services, "Ended");
    await furnish(tenantId);
    await remove(tenantId, "Ended");
    const [state] = await database.sql`
      select
        (select bool_and(revoked_at is not null) from api_keys where tenant_id = ${tenantId}) as keys,
        (select bool_and(revoked_at is not null) from invitations where tenant_id = ${tenantId}) as invitations,
        (select string_agg(state, ' ') from webhook_endpoints where tenant_id = ${tenantId}) as webhooks,
        (select string_agg(state, ' ') from webhook_deliveries where tenant_id = ${tenantId}) as deliveries,
        (select string_agg(state, ' ') from exports where tenant_id = ${tenantId}) as exports`;
    expect(state).toEqual({
      keys: true,
      invitations: true,
      webhooks: "disabled",
      deliveries: "failed",
      exports: "cancelled",
    });
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 1 });
    expect(items[0]).toMatchObject({ action: "tenant.deleted", actorType: "operator" });
  });

  it("is allowed to owners and to the operator's actors, but to no other member and no key of the tenant", async () => {
    const { tenantId, context } = await createTestTenant(services, "Guarded");
    for (const role of ["admin", "developer", "billing", "viewer"] as const) {
      const member = await createTestUser(services, { roles: [[tenantId, role]] });
      expect(await refusalOf(remove(tenantId, "Guarded", member.context))).toMatchObject({
        code: "INSUFFICIENT_SCOPE",
      });
    }
    expect(await refusalOf(remove(tenantId, "Guarded", context))).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    const program = contextOf({ type: "service_key", id: "svc_1", scopes: ["tenants:write"] });
    expect(await refusalOf(remove(tenantId, "Guarded", program))).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
  });

  it("checks the role again: a former owner deletes nothing, even with an old session", async () => {
    const { tenantId } = await createTestTenant(services, "Was mine");
    const { context, userId } = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    await createTestUser(services, { roles: [[tenantId, "owner"]] });
    await putMember(services, OPERATOR_CONTEXT, { tenantId, userId, role: "viewer" });
    expect(await refusalOf(remove(tenantId, "Was mine", context))).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
  });

  it("looks to another tenant as if the tenant did not exist", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const stranger = await createTestUser(services, { roles: [[theirs.tenantId, "owner"]] });
    for (const context of [stranger.context, theirs.context]) {
      expect(await refusalOf(remove(ours.tenantId, "Ours", context))).toMatchObject({
        code: "RESOURCE_NOT_FOUND",
      });
    }
    const listed = listDeletedTenants(services, stranger.context, { limit: 1 });
    expect(await refusalOf(listed)).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
    const restored = restoreTenant(services, stranger.context, { tenantId: theirs.tenantId });
    expect(await refusalOf(restored)).toMatchObject({ code: "INSUFFICIENT_SCOPE" });
  });

  it("happens once, however many requests come at once", async () => {
    const { tenantId } = await createTestTenant(services, "Twice");
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => remove(tenantId, "Twice")),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
    expect(items.filter(({ action }) => action === "tenant.deleted")).toHaveLength(1);
  });

  it("leaves no working key and no new member behind, also of those created meanwhile", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { tenantId } = await createTestTenant(services, "Raced");
      const people = await Promise.all([createTestUser(services), createTestUser(services)]);
      const creating = [
        ...Array.from({ length: 4 }, () => makeKey(tenantId)),
        ...people.map(({ userId }) =>
          putMember(services, OPERATOR_CONTEXT, { tenantId, userId, role: "viewer" as const }),
        ),
      ];
      const [, ...outcomes] = await Promise.allSettled([remove(tenantId, "Raced"), ...creating]);
      for (const outcome of outcomes) {
        // Created before and deleted with the tenant, or refused; never an internal error.
        if (outcome.status === "rejected") {
          expect(outcome.reason).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
        }
      }
      const [row] = await database.sql`
        select count(*)::int as live from api_keys where tenant_id = ${tenantId} and revoked_at is null`;
      expect(row).toEqual({ live: 0 });
      expect((await refusalOf(makeKey(tenantId))).code).toBe("RESOURCE_NOT_FOUND");
    }
  });

  it("refuses additions by a transaction that saw the tenant a moment before", async () => {
    const { tenantId } = await createTestTenant(services, "Late");
    await remove(tenantId, "Late");
    const late = services.transact.asTenant(
      tenantId,
      (tx) => tx`
        insert into notifications (tenant_id, notification_id, kind, title, body, created_at)
        values (${tenantId}, 'ntf_late', 'test', 'T', 'B', now())`,
    );
    expect(await refusalOf(late)).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
  });

  it("may delete a person's last tenant, after which they can found another", async () => {
    const { context, userId } = await createTestUser(services);
    const first = await createTenant(services, context, { name: "First" });
    const owner = contextOf({
      type: "user",
      id: userId,
      isOperator: false,
      roles: new Map([[first.tenantId, "owner" as const]]),
    });
    await remove(first.tenantId, "First", owner);
    const again = await createTenant(services, context, { name: "First" });
    expect(again.slug).toBe(first.slug);
  });
});

describe("restoreTenant", () => {
  it("restores members and settings; keys stay revoked and webhooks disabled", async () => {
    const { tenantId } = await createTestTenant(services, "Back");
    const { userId } = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    await furnish(tenantId);
    const before = await getTenant(services, OPERATOR_CONTEXT, { tenantId });
    await remove(tenantId, "Back");
    services.clock.advance(29 * DAY_MS);
    expect(await restore(tenantId)).toEqual(before);
    expect(await rolesOf(userId)).toEqual([[tenantId, "owner"]]);
    const [state] = await database.sql`
      select bool_and(revoked_at is not null) as keys, (select state from webhook_endpoints
        where tenant_id = ${tenantId}) as webhook
      from api_keys where tenant_id = ${tenantId}`;
    expect(state).toEqual({ keys: true, webhook: "disabled" });
    expect(await countRows("alerts", tenantId)).toBe(1);
    await makeKey(tenantId);
  });

  it("brings no one back who deleted their account meanwhile, and the trail says so", async () => {
    const { tenantId } = await createTestTenant(services, "Fewer");
    const gone = await createTestUser(services, { roles: [[tenantId, "owner"]] });
    const kept = await createTestUser(services, { roles: [[tenantId, "viewer"]] });
    await remove(tenantId, "Fewer");
    await database.sql`update users set deleted_at = now() where user_id = ${gone.userId}`;
    await restore(tenantId);
    expect(await rolesOf(gone.userId)).toEqual([]);
    expect(await rolesOf(kept.userId)).toEqual([[tenantId, "viewer"]]);
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 2 });
    expect(items[1]).toMatchObject({ action: "member.removed", entityId: gone.userId });
  });

  it("adds a number to a slug that was taken meanwhile, and refuses when the external id was", async () => {
    const make = (name: string) =>
      createTenant(services, OPERATOR_CONTEXT, { name, slug: "free-again", externalId: "crm-1" });
    await createTestTenant(services);
    const first = await make("One");
    await remove(first.tenantId, "One");
    const second = await make("Two");
    expect(await refusalOf(restore(first.tenantId))).toMatchObject({ code: "CONFLICT" });
    await remove(second.tenantId, "Two");
    const { slug } = await createTenant(services, OPERATOR_CONTEXT, {
      name: "Three",
      slug: "free-again",
    });
    expect(slug).toBe("free-again");
    expect(await restore(first.tenantId)).toMatchObject({
      slug: "free-again-2",
      externalId: "crm-1",
    });
  });

  it("is refused after thirty days and for a tenant that is not deleted", async () => {
    const { tenantId } = await createTestTenant(services, "Too late");
    expect(await refusalOf(restore(tenantId))).toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    await remove(tenantId, "Too late");
    services.clock.advance(30 * DAY_MS);
    expect(await refusalOf(restore(tenantId))).toMatchObject({ code: "CONFLICT" });
  });
});

describe("purgeTenants", () => {
  it("removes people, secrets and names after thirty days, not before, and nothing of other tenants", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    for (const { tenantId } of [ours, theirs]) {
      await createTestUser(services, { roles: [[tenantId, "owner"]] });
      await furnish(tenantId);
    }
    const { tenantId } = ours;
    await remove(tenantId, "Ours");
    await purgeTenants(services, { signal: SIGNAL });
    expect(await countRows("members", tenantId)).toBe(1);

    services.clock.advance(30 * DAY_MS);
    await purgeTenants(services, { signal: SIGNAL });
    for (const table of TABLES_OF_PEOPLE) {
      expect([table, await countRows(table, tenantId)]).toEqual([table, 0]);
      expect([table, await countRows(table, theirs.tenantId)]).toEqual([table, 1]);
    }
    const [key] = await database.sql`
      select name, start, last_four, metadata, octet_length(key_hash) = 32 as is_hash
      from api_keys where tenant_id = ${tenantId}`;
    expect(key).toEqual({ name: "", start: "", last_four: "", metadata: {}, is_hash: false });
    const deleted = (await listDeleted()).find((item) => item.tenantId === tenantId);
    expect(deleted).toMatchObject({
      name: "Deleted tenant",
      externalId: null,
      purgedAt: services.clock.now().toISOString(),
    });
    // The audit trail stays: who deleted the tenant, and that its data was removed.
    const { items } = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 2 });
    expect(items.map(({ action }) => action)).toEqual(["tenant.purged", "tenant.deleted"]);
    expect(await refusalOf(restore(tenantId))).toMatchObject({ code: "CONFLICT" });
    expect(await purgeTenants(services, { signal: SIGNAL })).toBe(0);
  });

  it("resumes where it stopped, in transactions of a bounded size", async () => {
    const { tenantId } = await createTestTenant(services, "Large");
    await database.sql`
      insert into notifications (tenant_id, notification_id, kind, title, body, created_at)
      select ${tenantId}, 'ntf_' || n, 'test', 'T', 'B', now() from generate_series(1, 2500) as n`;
    await remove(tenantId, "Large");
    services.clock.advance(30 * DAY_MS);
    const stopping = new AbortController();
    let rounds = 0;
    const stopped = {
      ...services,
      resources: services.resources.map((resource, index) => ({
        ...resource,
        forget: async (...input: Parameters<typeof resource.forget>) => {
          rounds += index === 0 ? 1 : 0;
          if (rounds === 2) {
            stopping.abort();
          }
          return await resource.forget(...input);
        },
      })),
    };
    expect(await purgeTenants(stopped, { signal: stopping.signal })).toBe(0);
    expect(await countRows("notifications", tenantId)).toBe(500);
    expect(await purgeTenants(services, { signal: SIGNAL })).toBe(1);
    expect(await countRows("notifications", tenantId)).toBe(0);
  });
});

it("no scope of a tenant's key deletes a tenant", () => {
  expect(TENANT_KEY_SCOPES).not.toContain("tenants:delete");
});
