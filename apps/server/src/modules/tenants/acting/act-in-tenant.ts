import { ACTING_MINUTES, type Acting } from "@turnpike/contract/acting";
import type { Tx } from "@turnpike/db/client";
import { type CallContext, getPerson, type UserActor } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { insertChange } from "#platform/changes.store.ts";
import { type NotifyDeps, notifyMembers } from "../notify-members.ts";
import { findTenantRow } from "../tenants.store.ts";
import { type ActingRow, endOpenActing, insertActing, listOpenActing } from "./acting.store.ts";
import { toActingNotice } from "./acting-notice.ts";

export type ActingDeps = AppServices & NotifyDeps;

const MINUTE_MS = 60_000;

function toReply(row: ActingRow): Acting {
  return {
    actingId: row.acting_id,
    tenantId: row.tenant_id,
    reason: row.reason,
    startedAt: row.started_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}

/** In a browser, where the banner is seen: a program that acts would be noticed by no one. */
function getOperator({ actor }: CallContext): UserActor {
  const person = getPerson(actor);
  if (!person.isOperator || person.isByDevice === true) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: "Only an operator in the console may act in a tenant.",
    });
  }
  return person;
}

async function endWithin(deps: ActingDeps, tx: Tx, context: CallContext): Promise<void> {
  const person = getPerson(context.actor);
  const row = await endOpenActing(tx, person.id, deps.clock.now());
  if (row === undefined) {
    return;
  }
  await writeAudit(deps, tx, context, {
    tenantId: row.tenant_id,
    action: "acting.ended",
    entityType: "acting",
    entityId: row.acting_id,
  });
  await insertChange(tx, { kind: "user", tenantId: null, entityId: person.id });
}

/**
 * Lets an operator act in a tenant as one of its admins for an hour, in all their tabs. Its members get a notification, and each entry that the
 * operator then leaves in its audit trail holds the reason. Acting elsewhere ends.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` unless the actor is an operator in a browser; `RESOURCE_NOT_FOUND`; `CONFLICT` in a tenant
 *   where they have a role of their own.
 */
export async function startActing(
  deps: ActingDeps,
  context: CallContext,
  { tenantId, reason }: { tenantId: TenantId; reason: string },
): Promise<Acting> {
  const operator = getOperator(context);
  const now = deps.clock.now();
  const row: ActingRow = {
    acting_id: deps.newId("acting"),
    user_id: operator.id,
    tenant_id: tenantId,
    reason,
    started_at: now,
    expires_at: new Date(now.getTime() + ACTING_MINUTES * MINUTE_MS),
  };
  await deps.transact.asOperator(async (tx) => {
    if ((await findTenantRow(tx, tenantId)) === undefined) {
      throw resourceNotFound("tenant");
    }
    if (operator.roles.has(tenantId)) {
      throw new AppError({
        code: "CONFLICT",
        publicMessage: "You have a role in this tenant: what you do there is done by it.",
      });
    }
    await endWithin(deps, tx, context);
    await insertActing(tx, row);
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "acting.started",
      entityType: "acting",
      entityId: row.acting_id,
      details: { reason, expiresAt: row.expires_at.toISOString() },
    });
    await notifyMembers(deps, tx, { tenantId, ...toActingNotice(reason) });
    await insertChange(tx, { kind: "user", tenantId: null, entityId: operator.id });
  });
  return toReply(row);
}

/** Where the person acts right now, as operator. */
export async function getActing(
  deps: ActingDeps,
  { actor }: CallContext,
): Promise<{ acting: Acting | null }> {
  const person = getPerson(actor);
  const [row] = await deps.transact.asOperator((tx) => listOpenActing(tx, [person.id]), {
    holder: person.id,
  });
  const isOpen = person.isOperator && row !== undefined && row.expires_at > deps.clock.now();
  return { acting: isOpen ? toReply(row) : null };
}

/** Ends it. Without one, nothing changes. */
export async function endActing(deps: ActingDeps, context: CallContext): Promise<{ acting: null }> {
  getPerson(context.actor);
  await deps.transact.asOperator((tx) => endWithin(deps, tx, context));
  return { acting: null };
}
