import type { AuditEntry, AuditFormat, TenantAuditEntry } from "@turnpike/contract/audit";
import type { CallContext } from "@turnpike/domain/access/actor";
import type { NewId, TenantId } from "@turnpike/domain/ids/ids";
import type { Clock } from "#platform/clock.ts";
import { toCsvRow, toTextCell } from "#platform/csv.ts";
import type { Transact } from "#platform/transact.ts";
import {
  type AuditQuestion,
  listAllAudit,
  listAudit,
  listInstallationAudit,
} from "./list-audit.ts";
import { writeAudit } from "./write-audit.ts";

/** Entries read at once: only these are held. */
const PAGE = 1_000;

const COLUMNS = [
  "occurred_at",
  "actor_type",
  "actor_id",
  "action",
  "entity_type",
  "entity_id",
  "request_id",
  "details",
] as const;

/** A tenant's trail, that of the installation, or those of all tenants. */
export type ExportedTrail = TenantId | "installation" | "tenants";

export type ExportAuditDeps = { transact: Transact; clock: Clock; newId: NewId };

function toCells(entry: AuditEntry): string[] {
  return [
    entry.occurredAt,
    toTextCell(entry.actorType),
    toTextCell(entry.actorId),
    toTextCell(entry.action),
    toTextCell(entry.entityType),
    toTextCell(entry.entityId),
    toTextCell(entry.requestId ?? ""),
    toTextCell(JSON.stringify(entry.details)),
  ];
}

function toLine(entry: AuditEntry | TenantAuditEntry, format: AuditFormat): string {
  if (format === "jsonl") {
    return `${JSON.stringify(entry)}\n`;
  }
  const tenant = "tenantId" in entry ? [entry.tenantId, toTextCell(entry.tenantName ?? "")] : [];
  return toCsvRow([...tenant, ...toCells(entry)]);
}

/** An export is an entry of the trail, with its filters. */
async function noteExport(
  deps: ExportAuditDeps,
  context: CallContext,
  {
    trail,
    format,
    question,
  }: { trail: ExportedTrail; format: AuditFormat; question: AuditQuestion },
): Promise<void> {
  const isOfTenant = trail !== "installation" && trail !== "tenants";
  const tenantId = isOfTenant ? trail : null;
  const asked = Object.entries(question).filter(([, value]) => value !== undefined);
  const event = {
    ...{ tenantId, action: "audit.exported", entityType: "audit", entityId: trail },
    details: { format, filters: Object.fromEntries(asked) },
  };
  await (isOfTenant
    ? deps.transact.asTenant(trail, (tx) => writeAudit(deps, tx, context, event))
    : deps.transact.asOperator((tx) => writeAudit(deps, tx, context, event)));
}

/**
 * Writes a trail line by line, newest first, all of it or what the filters leave. Entries that are added meanwhile are not in it,
 * that of the export itself included. Each page is a transaction of its own, so a slow reader holds none.
 *
 * @throws {AppError} Before the first line: as the list of the same trail.
 */
export async function* exportAudit(
  deps: ExportAuditDeps,
  context: CallContext,
  input: { trail: ExportedTrail; format: AuditFormat; question: AuditQuestion },
): AsyncGenerator<string> {
  const { trail, format, question } = input;
  const list = async (cursor: string | undefined) => {
    const page = { ...question, cursor, limit: PAGE };
    if (trail === "installation") {
      return await listInstallationAudit(deps, context, page);
    }
    return trail === "tenants"
      ? await listAllAudit(deps, context, page)
      : await listAudit(deps, context, { ...page, tenantId: trail });
  };
  let page: { items: (AuditEntry | TenantAuditEntry)[]; nextCursor: string | null } =
    await list(undefined);
  await noteExport(deps, context, input);
  if (format === "csv") {
    yield toCsvRow([...(trail === "tenants" ? ["tenant_id", "tenant"] : []), ...COLUMNS]);
  }
  while (true) {
    for (const entry of page.items) {
      yield toLine(entry, format);
    }
    if (page.nextCursor === null) {
      return;
    }
    // Where nothing is found for long, a reader who has left is noticed here.
    yield "";
    page = await list(page.nextCursor);
  }
}
