import { randomBytes } from "node:crypto";
import type { Sql } from "@turnpike/db/client";
import type { Actor, CallContext } from "@turnpike/domain/access/actor";
import { type HeldRole, nameOfRole, TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { seedCatalog } from "../../../apps/server/src/modules/catalog/index.ts";
import { tenantPlans } from "../../../apps/server/src/modules/entitlements/index.ts";
import { ensureUser } from "../../../apps/server/src/modules/identity/index.ts";
import { memberKeys } from "../../../apps/server/src/modules/keys/index.ts";
import {
  createTenant,
  type MemberKeys,
  putMember,
  type TenantPlans,
  type TenantResource,
} from "../../../apps/server/src/modules/tenants/index.ts";
import type { AppServices } from "../../../apps/server/src/platform/app-services.ts";
import { systemClock } from "../../../apps/server/src/platform/clock.ts";
import { createLogger } from "../../../apps/server/src/platform/logger.ts";
import { newUuidId } from "../../../apps/server/src/platform/new-id.ts";
import { createTransact } from "../../../apps/server/src/platform/transact.ts";
import { TENANT_RESOURCES } from "../../../apps/server/src/tenant-resources.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { createSeededIds } from "./seeded-ids.ts";

export type TestServices = AppServices & {
  clock: FakeClock;
  plans: TenantPlans;
  memberKeys: MemberKeys;
  resources: readonly TenantResource[];
};

/** What use cases need, on a database of the test's own: a stopped clock, ids that count up, no log. */
export function createTestServices(database: { sql: Sql }): TestServices {
  return {
    transact: createTransact(database.sql),
    clock: createFakeClock(),
    newId: createSeededIds(),
    logger: createLogger({ level: "silent" }),
    randomBytes: (count) => randomBytes(count),
    plans: tenantPlans,
    memberKeys,
    resources: TENANT_RESOURCES,
  };
}

/** The same with the system's clock and ids, for what waits, streams or runs in another thread. */
export function createLiveServices(database: { sql: Sql }): AppServices {
  return {
    transact: createTransact(database.sql),
    clock: systemClock,
    newId: newUuidId,
    logger: createLogger({ level: "silent" }),
    randomBytes: (count) => randomBytes(count),
  };
}

/** What a use case knows of its caller. */
export function contextOf(actor: Actor): CallContext {
  return { actor, requestId: "req_test" };
}

export const OPERATOR_CONTEXT = contextOf({ type: "operator", id: "test" });

export type TestTenant = {
  tenantId: TenantId;
  /** A program of the tenant, by a key with every scope that a tenant's key may carry. */
  context: CallContext;
};

/** Creates a tenant on the default plan of the sample catalogue, which is seeded when the database has none. */
export async function createTestTenant(services: TestServices, name = "Acme"): Promise<TestTenant> {
  await seedCatalog(services, OPERATOR_CONTEXT, SAMPLE_CATALOG);
  const { tenantId } = await createTenant(services, OPERATOR_CONTEXT, { name });
  const id = services.newId("key");
  return {
    tenantId,
    context: contextOf({ type: "key", id, tenantId, scopes: TENANT_KEY_SCOPES }),
  };
}

export type TestUser = { userId: UserId; context: CallContext };

/** Stores a person of the built-in provider with this address. @param roles - The tenants they belong to. */
export async function createTestUser(
  services: TestServices,
  input: {
    email?: string;
    isOperator?: boolean;
    roles?: ReadonlyMap<TenantId, HeldRole> | readonly (readonly [TenantId, HeldRole])[];
  } = {},
): Promise<TestUser> {
  const subject = services.newId("user");
  const { userId } = await ensureUser(services, OPERATOR_CONTEXT, {
    issuer: "https://id.example.com",
    subject,
    email: input.email ?? `${subject}@example.com`,
  });
  const roles = new Map(input.roles ?? []);
  for (const [tenantId, role] of roles) {
    await putMember(services, OPERATOR_CONTEXT, { tenantId, userId, role: nameOfRole(role) });
  }
  const isOperator = input.isOperator ?? false;
  return { userId, context: contextOf({ type: "user", id: userId, isOperator, roles }) };
}

/** Two tenants of one installation, for every test of what the one may see of the other. */
export type TwoTenants = { ours: TestTenant; theirs: TestTenant };

export async function createTwoTenants(services: TestServices): Promise<TwoTenants> {
  const ours = await createTestTenant(services, "Ours");
  const theirs = await createTestTenant(services, "Theirs");
  return { ours, theirs };
}

const PLAN = "test-plan";

/** A tenant with nothing but its row, for modules below `tenants`. */
export async function insertTestTenant(sql: Sql): Promise<TenantId> {
  const tenantId = newUuidId("tenant");
  await sql`
    with plan as (
      insert into plans (plan_id, latest_version, created_at) values (${PLAN}, 1, now())
      on conflict do nothing
    )
    insert into plan_versions (plan_id, version, terms, published_at) values (${PLAN}, 1, '{}', now())
    on conflict do nothing`;
  await sql`
    insert into tenants (tenant_id, name, slug, created_at, updated_at)
    values (${tenantId}, 'Test', ${tenantId.replace("_", "-")}, now(), now())`;
  await sql`
    insert into tenant_entitlements (tenant_id, plan_id, plan_version, period_anchor, updated_at)
    values (${tenantId}, ${PLAN}, 1, now(), now())`;
  return tenantId;
}
