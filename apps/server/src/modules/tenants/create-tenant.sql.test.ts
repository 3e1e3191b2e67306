import { tenant as tenantShape } from "@turnpike/contract/tenants";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  createTestUser,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { seedCatalog } from "#modules/catalog/index.ts";
import { createTenant } from "./create-tenant.ts";
import { deleteTenant } from "./delete-tenant.ts";
import { getTenant } from "./get-tenant.ts";
import { listMembers } from "./list-members.ts";
import { listTenants } from "./list-tenants.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  await seedCatalog(services, OPERATOR_CONTEXT, SAMPLE_CATALOG);
});
afterAll(() => database.close());

const create = (input: Parameters<typeof createTenant>[2]) =>
  createTenant(services, OPERATOR_CONTEXT, input);

describe("createTenant", () => {
  it("puts a tenant on the default plan, counts its periods from the start of the month, and audits it", async () => {
    const made = await create({ name: "Fresh" });
    expect(tenantShape.parse(made)).toMatchObject({
      name: "Fresh",
      slug: "fresh",
      externalId: null,
      planId: "free",
      planVersion: 1,
      periodAnchor: "2026-01-01T00:00:00.000Z",
      suspendedAt: null,
    });
    const audit = await listAudit(services, OPERATOR_CONTEXT, {
      tenantId: made.tenantId,
      limit: 10,
    });
    expect(audit.items.map((entry) => entry.action)).toEqual(["tenant.created"]);
    expect(audit.items[0]).toMatchObject({ actorType: "operator", requestId: "req_test" });
  });

  it("puts a tenant on the plan that was asked for", async () => {
    expect((await create({ name: "Paying", planId: "pro" })).planId).toBe("pro");
    const refusal = await refusalOf(create({ name: "Lost", planId: "no-such-plan" }));
    expect(refusal).toMatchObject({ code: "INVALID_REQUEST", errors: [{ pointer: "/planId" }] });
  });

  it("numbers the slugs of one name, even when ten tenants are created at once", async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create({ name: "Twin" })));
    const expected = [
      "twin",
      ...Array.from({ length: 9 }, (_, index) => `twin-${String(index + 2)}`),
    ];
    expect(made.map((tenant) => tenant.slug).sort()).toEqual(expected.sort());
  });

  it("finds a slug for every name, including names without Latin letters", async () => {
    const made: string[] = [];
    for (let index = 0; index < 25; index += 1) {
      made.push((await create({ name: "株式会社" })).slug);
    }
    expect(new Set(made).size).toBe(25);
    expect(made.slice(0, 10)).toEqual([
      "tenant",
      ...Array.from({ length: 9 }, (_, index) => `tenant-${String(index + 2)}`),
    ]);
    expect(made.at(-1)).toMatch(/^tenant-[0-9a-f]{8}$/);
  });

  it("refuses a requested slug that is taken", async () => {
    await create({ name: "One", slug: "wanted" });
    const refusal = await refusalOf(create({ name: "Two", slug: "wanted" }));
    expect(refusal).toMatchObject({ code: "ALREADY_EXISTS", errors: [{ pointer: "/slug" }] });
  });

  it("gives an external id to one tenant only, even when two ask at once", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => create({ name: "Customer", externalId: "crm-1" })),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") {
        expect(outcome.reason).toMatchObject({
          code: "ALREADY_EXISTS",
          errors: [{ pointer: "/externalId" }],
        });
      }
    }
  });

  it("frees the external id of a deleted tenant for the next one, even when their slugs collide", async () => {
    const first = await create({ name: "Reborn", externalId: "crm-reborn" });
    await deleteTenant(services, OPERATOR_CONTEXT, first);
    await create({ name: "Reborn" });
    expect(await create({ name: "Reborn", externalId: "crm-reborn" })).toMatchObject({
      slug: "reborn-2",
      externalId: "crm-reborn",
    });
  });

  it("leaves nothing behind when it fails", async () => {
    await create({ name: "Before", externalId: "crm-2" });
    await refusalOf(create({ name: "Ghost", externalId: "crm-2" }));
    const [row] =
      await database.sql`select count(*)::int as count from tenants where name = 'Ghost'`;
    expect(row?.["count"]).toBe(0);
  });

  it("is refused to a tenant's own keys and to a read-only service key", async () => {
    const { context } = await createTestTenant(services);
    const reader = contextOf({ type: "service_key", id: "svc_1", scopes: ["tenants:read"] });
    for (const caller of [context, reader]) {
      const refusal = await refusalOf(createTenant(services, caller, { name: "Nope" }));
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    }
  });
});

describe("a person who creates a tenant", () => {
  it("becomes its owner, which is audited and published", async () => {
    const { userId, context } = await createTestUser(services);
    const made = await createTenant(services, context, { name: "Mine" });
    expect(tenantShape.parse(made)).toMatchObject({ name: "Mine", planId: "free", role: "owner" });
    const { items } = await listMembers(services, OPERATOR_CONTEXT, { ...made, limit: 10 });
    expect(items).toMatchObject([{ userId, role: "owner" }]);
    const audit = await listAudit(services, OPERATOR_CONTEXT, { ...made, limit: 10 });
    expect(audit.items.map((entry) => [entry.action, entry.actorType, entry.actorId])).toEqual([
      ["member.added", "user", userId],
      ["tenant.created", "user", userId],
    ]);
    const changes = await database.sql`
      select tenant_id from changes where kind = 'user' and entity_id = ${userId}`;
    expect(changes.map((change) => change["tenant_id"])).toContain(made.tenantId);
  });

  it("owns at most ten, even when twenty are created at once", async () => {
    const { context } = await createTestUser(services);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => createTenant(services, context, { name: "Many" })),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(10);
    const refusal = await refusalOf(createTenant(services, context, { name: "One more" }));
    expect(refusal).toMatchObject({ code: "TENANT_LIMIT_REACHED", extensions: { limit: 10 } });
    expect(ERROR_CODES[refusal.code].status).toBe(409);
  });

  it("founds at most ten in thirty days, even after deleting some", async () => {
    const { userId, context } = await createTestUser(services);
    const found = () => createTenant(services, context, { name: "Short-lived" });
    for (let index = 0; index < 10; index += 1) {
      const { tenantId, name } = await found();
      const owner = contextOf({
        type: "user",
        id: userId,
        isOperator: false,
        roles: new Map([[tenantId, "owner"]]),
      });
      await deleteTenant(services, owner, { tenantId, name });
    }
    const refusal = await refusalOf(found());
    expect(refusal).toMatchObject({ code: "TENANT_LIMIT_REACHED", extensions: { limit: 10 } });
    expect(refusal.message).toContain("within 30 days");
    services.clock.advance(30 * 24 * 60 * 60 * 1_000);
    expect((await found()).role).toBe("owner");
  });

  it("owns any number as an operator", async () => {
    const { context } = await createTestUser(services, { isOperator: true });
    for (let index = 0; index < 11; index += 1) {
      expect((await createTenant(services, context, { name: "Op" })).role).toBe("owner");
    }
  });

  it("chooses neither the plan nor the external id", async () => {
    const { context } = await createTestUser(services);
    for (const wish of [{ planId: "scale" }, { externalId: "crm-77" }]) {
      const refusal = await refusalOf(createTenant(services, context, { name: "Wish", ...wish }));
      expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
    }
  });
});

describe("getTenant", () => {
  it("looks to another tenant's key as if the tenant did not exist", async () => {
    const ours = await createTestTenant(services, "Ours");
    const theirs = await createTestTenant(services, "Theirs");
    const other = await refusalOf(getTenant(services, ours.context, theirs));
    const missing = await refusalOf(
      getTenant(services, OPERATOR_CONTEXT, { tenantId: services.newId("tenant") }),
    );
    expect(other.code).toBe("RESOURCE_NOT_FOUND");
    expect(other.message).toBe(missing.message);
    expect((await getTenant(services, ours.context, ours)).name).toBe("Ours");
  });
});

describe("listTenants", () => {
  it("pages through all tenants, newest first, each once", async () => {
    const names = ["P1", "P2", "P3", "P4", "P5"];
    for (const name of names) {
      await create({ name });
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listTenants(services, OPERATOR_CONTEXT, { cursor, limit: 2 });
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map((tenant) => tenant.tenantId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const [row] =
      await database.sql`select count(*)::int as count from tenants where deleted_at is null`;
    expect(new Set(seen).size).toBe(row?.["count"]);
    expect(seen).toEqual([...seen].sort().reverse());
  });

  it("shows a tenant's key its own tenant and no other", async () => {
    const ours = await createTestTenant(services, "Alone");
    const page = await listTenants(services, ours.context, { limit: 100 });
    expect(page).toMatchObject({ items: [{ tenantId: ours.tenantId }], nextCursor: null });
  });

  it("shows a person their own tenants with their role, and no other", async () => {
    const ours = await createTestTenant(services, "Person's");
    await createTestTenant(services, "Another's");
    const { context } = await createTestUser(services, { roles: [[ours.tenantId, "billing"]] });
    const page = await listTenants(services, context, { limit: 100 });
    expect(page.items).toMatchObject([{ tenantId: ours.tenantId, role: "billing" }]);
    const stranger = await createTestUser(services);
    expect(await listTenants(services, stranger.context, { limit: 100 })).toEqual({
      items: [],
      nextCursor: null,
    });
  });

  it("shows an operator all tenants, page by page", async () => {
    const { context } = await createTestUser(services, { isOperator: true });
    const all = await listTenants(services, OPERATOR_CONTEXT, { limit: 5 });
    expect(await listTenants(services, context, { limit: 5 })).toEqual(all);
  });

  it("finds a tenant by its slug, and for a person only among their own", async () => {
    const other = await create({ name: "Slug Alone", slug: "slug-alone" });
    await create({ name: "Slug Alone too", slug: "slug-alone-too" });
    const find = async (context: typeof OPERATOR_CONTEXT) =>
      (await listTenants(services, context, { slug: "slug-alone", limit: 100 })).items.map(
        (tenant) => tenant.tenantId,
      );
    expect(await find(OPERATOR_CONTEXT)).toEqual([other.tenantId]);
    const { context } = await createTestUser(services);
    expect(await find(context)).toEqual([]);
  });

  it("finds by part of the name or slug, ignoring case and taking wildcards literally", async () => {
    await create({ name: "Percent 100% sure", slug: "per-cent" });
    const find = async (q: string) =>
      (await listTenants(services, OPERATOR_CONTEXT, { q, limit: 100 })).items.map(
        (tenant) => tenant.slug,
      );
    expect(await find("CENT 100%")).toEqual(["per-cent"]);
    expect(await find("er-ce")).toEqual(["per-cent"]);
    for (const q of ["100_", "100%%", "\\", "' or true --"]) {
      expect(await find(q)).toEqual([]);
    }
    const { context } = await createTestUser(services);
    expect((await listTenants(services, context, { q: "cent", limit: 10 })).items).toEqual([]);
  });
});
