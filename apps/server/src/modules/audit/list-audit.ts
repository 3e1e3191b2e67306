import type { AuditEntry, AuditQuery, TenantAuditEntry } from "@turnpike/contract/audit";
import { assertMay, assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { parseCursor } from "#platform/parse-cursor.ts";
import type { Transact } from "#platform/transact.ts";
import { OPERATOR_TRAIL } from "./audit.store.ts";
import {
  type AuditFilters,
  type AuditPlace,
  type FoundRow,
  findAuditRows,
  listTenantNames,
} from "./find-entries.store.ts";

type AuditPage<Entry = AuditEntry> = { items: Entry[]; nextCursor: string | null };

/** Which entries are asked for: everything in them is optional. */
export type AuditQuestion = Partial<Omit<AuditQuery, "cursor" | "limit">>;
type PageInput = AuditQuestion & { cursor?: string | undefined; limit: number };

/** @throws {AppError} `INVALID_REQUEST` for a range that ends before it begins. */
export function toFilters({ from, to, ...question }: AuditQuestion): AuditFilters {
  const range = {
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
  if (range.from !== undefined && range.to !== undefined && range.to <= range.from) {
    const message = "Must be after from.";
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "The range ends before it begins.",
      errors: [{ pointer: "/to", message }],
    });
  }
  const { entityId, actorId, actorType, action, search } = question;
  return { entityId, actorId, actorType, action, search, ...range };
}

function toPlace(cursor: string): AuditPlace | undefined {
  const [auditId = "", occurredAtMs = "", ...more] = cursor.split(":");
  return isId("audit", auditId) && /^\d{1,15}$/.test(occurredAtMs) && more.length === 0
    ? { auditId, occurredAt: new Date(Number(occurredAtMs)) }
    : undefined;
}

function toCursor(place: AuditPlace | undefined): string | null {
  return place === undefined ? null : `${place.auditId}:${String(place.occurredAt.getTime())}`;
}

function toQuery({ cursor, limit, ...question }: PageInput) {
  return { filters: toFilters(question), before: parseCursor(cursor, toPlace), limit };
}

export function toEntry(row: FoundRow): AuditEntry {
  return {
    auditId: row.audit_id,
    occurredAt: row.occurred_at.toISOString(),
    actorType: row.actor_type,
    actorId: row.actor_id,
    action: row.action,
    entityType: row.entity_type,
    entityId: row.entity_id,
    requestId: row.request_id,
    details: row.details,
  };
}

/**
 * Lists a tenant's audit trail, newest first, of everything or of what the filters leave. The trail of a deleted tenant remains
 * visible to the operator's actors.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`; `INVALID_REQUEST` (cursor, range).
 */
export async function listAudit(
  deps: { transact: Transact },
  context: CallContext,
  input: PageInput & { tenantId: TenantId },
): Promise<AuditPage> {
  assertMayInTenant(context.actor, "audit:read", input.tenantId);
  const query = toQuery(input);
  const { rows, next } = await deps.transact.asTenant(input.tenantId, (tx) =>
    findAuditRows(tx, { trail: input.tenantId }, query),
  );
  // Every tenant's trail begins with its creation, so an empty answer is the only one that needs a second query.
  if (rows.length === 0) {
    await deps.transact.asOperatorWithDeleted((tx) => assertTenantExists(tx, input.tenantId), {
      holder: input.tenantId,
    });
  }
  return { items: rows.map(toEntry), nextCursor: toCursor(next) };
}

/**
 * Lists the audit trail of the installation, newest first: operators, users, service keys, the catalogue and the installation's
 * webhooks. For the operator's actors.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `INVALID_REQUEST` (cursor, range).
 */
export async function listInstallationAudit(
  deps: { transact: Transact },
  context: CallContext,
  input: PageInput,
): Promise<AuditPage> {
  assertMay(context.actor, "audit:read");
  const query = toQuery(input);
  const { rows, next } = await deps.transact.asOperator((tx) =>
    findAuditRows(tx, { trail: OPERATOR_TRAIL }, query),
  );
  return { items: rows.map(toEntry), nextCursor: toCursor(next) };
}

/**
 * Lists the audit trails of all tenants as one, newest first, those of deleted tenants included. For the operator's actors.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `INVALID_REQUEST` (cursor, range).
 */
export async function listAllAudit(
  deps: { transact: Transact },
  context: CallContext,
  input: PageInput,
): Promise<AuditPage<TenantAuditEntry>> {
  assertMay(context.actor, "audit:read");
  const query = toQuery(input);
  return await deps.transact.asOperatorWithDeleted(async (tx) => {
    const { rows, next } = await findAuditRows(tx, "tenants", query);
    const names = await listTenantNames(
      tx,
      rows.map((row) => row.tenant_id),
    );
    const items = rows.map((row) => ({
      ...toEntry(row),
      tenantId: row.tenant_id as TenantId,
      tenantName: names.get(row.tenant_id) ?? null,
    }));
    return { items, nextCursor: toCursor(next) };
  });
}
