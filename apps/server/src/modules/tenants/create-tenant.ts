import {
  type CreateTenantRequest,
  FOUNDING_DAYS,
  OWNED_TENANTS_MAX,
  type Tenant,
} from "@turnpike/contract/tenants";
import type { Tx } from "@turnpike/db/client";
import {
  type Actor,
  assertMay,
  type CallContext,
  type UserActor,
} from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { slugFrom, slugsToTry } from "@turnpike/domain/ids/slug";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { shareOf } from "#platform/transact.ts";
import { countTenantsOf, lockUser, upsertMember } from "./members.store.ts";
import { hasExternalId, insertTenant, type NewTenantRow, type TenantRow } from "./tenants.store.ts";
import { toTenantEvent, toTenantReply, type WithPlans } from "./to-tenant-reply.ts";

export type CreateTenantDeps = AppServices & WithPlans;

const DAY_MS = 24 * 60 * 60 * 1_000;

function taken(pointer: string, message: string): AppError {
  return new AppError({
    code: "ALREADY_EXISTS",
    publicMessage: message,
    errors: [{ pointer, message }],
  });
}

async function insertWithFreeSlug(
  tx: Tx,
  row: Omit<NewTenantRow, "slug">,
  input: CreateTenantRequest,
): Promise<TenantRow> {
  const slugs =
    input.slug === undefined ? slugsToTry(slugFrom(input.name), row.tenant_id) : [input.slug];
  for (const slug of slugs) {
    const inserted = await insertTenant(tx, { ...row, slug });
    if (inserted !== undefined) {
      return inserted;
    }
    // Checked after the insert, which waited for any transaction about to take the same id.
    if (input.externalId !== undefined && (await hasExternalId(tx, input.externalId))) {
      throw taken("/externalId", "Another tenant has this external id.");
    }
  }
  throw taken("/slug", "Another tenant has this slug. Choose a different one.");
}

/** A person chooses only the name of a new tenant. Its plan and external id are for the operator to set. */
function assertMayCreate(actor: Actor, input: CreateTenantRequest): void {
  const isPlain = input.externalId === undefined && input.planId === undefined;
  if (!(actor.type === "user" && isPlain)) {
    assertMay(actor, "tenants:write");
  }
}

function tooManyTenants(message: string): AppError {
  return new AppError({
    code: "TENANT_LIMIT_REACHED",
    publicMessage: message,
    extensions: { limit: OWNED_TENANTS_MAX },
  });
}

/** Checks the limits one tenant at a time for each person, so that simultaneous requests cannot exceed them. */
async function assertMayFound(tx: Tx, founder: UserActor, now: Date): Promise<void> {
  await lockUser(tx, founder.id);
  if (founder.isOperator) {
    return;
  }
  const since = new Date(now.getTime() - FOUNDING_DAYS * DAY_MS);
  const { owned, founded } = await countTenantsOf(tx, founder.id, since);
  if (owned >= OWNED_TENANTS_MAX) {
    throw tooManyTenants(`One person can own ${String(OWNED_TENANTS_MAX)} tenants.`);
  }
  // Each new tenant has fresh limits: deleting one must not renew them at once.
  if (founded >= OWNED_TENANTS_MAX) {
    throw tooManyTenants(
      `One person can found ${String(OWNED_TENANTS_MAX)} tenants within ${String(FOUNDING_DAYS)} days, deleted ones included.`,
    );
  }
}

async function makeOwner(
  deps: AppServices,
  tx: Tx,
  context: CallContext,
  input: { founder: UserActor; tenantId: TenantId },
): Promise<void> {
  const { tenantId, founder } = input;
  const now = deps.clock.now();
  if (!(await upsertMember(tx, { tenantId, userId: founder.id, role: "owner", now }))) {
    throw resourceNotFound("user");
  }
  await writeAudit(deps, tx, context, {
    tenantId,
    action: "member.added",
    entityType: "member",
    entityId: founder.id,
    details: { role: [null, "owner"] },
  });
  await publishEvent(deps, tx, {
    tenantId,
    type: "member.added",
    data: { tenantId, userId: founder.id, role: "owner" },
  });
  await insertChange(tx, { kind: "user", tenantId, entityId: founder.id });
}

/**
 * Creates a tenant on the given plan, or on the default one. Its billing periods are the calendar months, UTC. A person
 * becomes its owner.
 *
 * @throws {AppError} `ALREADY_EXISTS` for a taken slug or external id; `INVALID_REQUEST` for an unknown plan;
 *   `TENANT_LIMIT_REACHED`; `INSUFFICIENT_SCOPE`; `DIRECTORY_UNAVAILABLE`.
 */
export async function createTenant(
  deps: CreateTenantDeps,
  context: CallContext,
  input: CreateTenantRequest,
): Promise<Tenant> {
  const { actor } = context;
  assertMayCreate(actor, input);
  const founder = actor.type === "user" ? actor : undefined;
  const now = deps.clock.now();
  return await deps.transact.asOperatorWithDeleted(async (tx) => {
    if (founder !== undefined) {
      await assertMayFound(tx, founder, now);
    }
    const row = await insertWithFreeSlug(
      tx,
      {
        tenant_id: deps.newId("tenant"),
        name: input.name,
        external_id: input.externalId ?? null,
        suspended_at: null,
        created_at: now,
        created_by: `${actor.type}:${actor.id}`,
      },
      input,
    );
    await deps.cellEntries?.admitTenant(row.tenant_id);
    const plan = await deps.plans.start(tx, { tenantId: row.tenant_id, planId: input.planId, now });
    await writeAudit(deps, tx, context, {
      tenantId: row.tenant_id,
      action: "tenant.created",
      entityType: "tenant",
      entityId: row.tenant_id,
      details: { name: row.name, slug: row.slug, planId: plan.planId },
    });
    await publishEvent(deps, tx, {
      tenantId: row.tenant_id,
      type: "tenant.created",
      data: { tenant: toTenantEvent(row, plan) },
    });
    if (founder !== undefined) {
      await makeOwner(deps, tx, context, { founder, tenantId: row.tenant_id });
    }
    const reply = toTenantReply({ row, plan }, actor);
    return founder === undefined ? reply : { ...reply, role: "owner" };
  }, shareOf(actor));
}
