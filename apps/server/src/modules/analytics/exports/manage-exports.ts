import { type ExportFormat, exportQuestion, type UsageExport } from "@turnpike/contract/exports";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { FileStore } from "#modules/files/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists, lockTenant } from "#platform/assert-tenant-exists.store.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { listVersions } from "../queries/query-usage.ts";
import { refusalWithin } from "../queries/refuse-question.ts";
import { deleteExportContent } from "./delete-export-content.ts";
import {
  cancelExportRow,
  countExports,
  deleteExportChunks,
  deleteExportRow,
  type ExportRef,
  type ExportRow,
  findExportRow,
  insertExport,
  listExportRows,
  lockExport,
} from "./exports.store.ts";
import { planExport } from "./plan-export.ts";
import { EXPORT_BYTES_MAX, writeExportJob } from "./write-export.ts";

export type ExportsDeps = AppServices & { jobs: JobQueue; fileStore: FileStore };

/** Exports of a tenant in progress, written in turns. */
const UNFINISHED_MAX = 5;
const ALL_MAX = 100;

/** An export as a reply. */
export function toExportReply(tenantId: TenantId, row: ExportRow): UsageExport {
  return {
    exportId: row.export_id,
    tenantId,
    name: row.name,
    format: row.format,
    state: row.state,
    question: row.question,
    from: row.from_at.toISOString(),
    to: row.to_at.toISOString(),
    progress: { done: row.parts_done, total: row.parts_total },
    rows: Number(row.rows_written),
    bytes: Number(row.bytes_written),
    failure: row.failure,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    finishedAt: row.finished_at?.toISOString() ?? null,
    expiresAt: row.expires_at?.toISOString() ?? null,
  };
}

function noRoom(message: string): AppError {
  return new AppError({ code: "CONFLICT", publicMessage: message });
}

/** @throws {AppError} `INVALID_REQUEST` at the parameter of the export's question. */
function planWithin(...input: Parameters<typeof planExport>): ReturnType<typeof planExport> {
  try {
    return planExport(...input);
  } catch (error) {
    throw refusalWithin(error, (pointer) => `/question${pointer}`);
  }
}

/**
 * Creates an export. Its range is fixed now; a job writes its chunks.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`; `INVALID_REQUEST` when the question contradicts itself;
 *   `CONFLICT` when the tenant has five in progress, a hundred in all, or no room for another one.
 */
export async function createExport(
  deps: Omit<ExportsDeps, "fileStore">,
  context: CallContext,
  input: {
    tenantId: TenantId;
    name: string;
    format: ExportFormat;
    question: Record<string, string>;
  },
): Promise<UsageExport> {
  const { tenantId, name, format, question } = input;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const now = deps.clock.now();
  const parsed = exportQuestion.parse(question);
  const exportId = deps.newId("export");
  return await deps.transact.asOperator(
    async (tx) => {
      // The lock makes counting and creating one step.
      await lockTenant(tx, tenantId);
      const plan = planWithin(parsed, now, await listVersions(tx, parsed));
      const { unfinished, all, bytes } = await countExports(tx, tenantId);
      if (unfinished >= UNFINISHED_MAX) {
        throw noRoom(`At most ${String(UNFINISHED_MAX)} exports are under way at once.`);
      }
      if (all >= ALL_MAX || bytes >= BigInt(EXPORT_BYTES_MAX)) {
        throw noRoom(
          "There is no room for another export: delete one that is not needed any more.",
        );
      }
      const row = await insertExport(tx, tenantId, {
        export_id: exportId,
        name,
        format,
        question,
        from_at: new Date(plan.period.fromMs),
        to_at: new Date(plan.period.toMs),
        parts_total: plan.chunks.length,
        created_at: now,
        created_by: `${context.actor.type}:${context.actor.id}`,
      });
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "export.created",
        entityType: "export",
        entityId: exportId,
        details: { name, format },
      });
      await deps.jobs.enqueue(
        writeExportJob,
        { tenantId, exportId },
        { tx, singletonKey: exportId },
      );
      return toExportReply(tenantId, row);
    },
    { holder: input.tenantId },
  );
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`. */
export async function getExport(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: ExportRef,
): Promise<UsageExport> {
  const { tenantId } = input;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const row = await deps.transact.asTenant(tenantId, (tx) => findExportRow(tx, input));
  if (row === undefined) {
    throw resourceNotFound("export");
  }
  return toExportReply(tenantId, row);
}

/** Newest first; the id is the cursor. @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`. */
export async function listExports(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: { tenantId: TenantId; cursor?: string | undefined; limit: number },
): Promise<{ items: UsageExport[]; nextCursor: string | null }> {
  const { tenantId, cursor, limit } = input;
  assertMayInTenant(context.actor, "usage:read", tenantId);
  const beforeId = parseIdCursor("export", cursor);
  const rows = await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    return await listExportRows(tx, tenantId, { beforeId, limit: limit + 1 });
  });
  const items = rows.slice(0, limit).map((row) => toExportReply(tenantId, row));
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.exportId ?? null) : null };
}

/**
 * Checks that the actor created the export or may change the tenant.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`.
 */
async function getExportToEnd(
  deps: Pick<AppServices, "transact">,
  context: CallContext,
  input: ExportRef,
): Promise<UsageExport> {
  const found = await getExport(deps, context, input);
  const { actor } = context;
  if (found.createdBy !== `${actor.type}:${actor.id}`) {
    assertMayInTenant(actor, "tenants:write", input.tenantId);
  }
  return found;
}

/**
 * Cancels an export that is not done. The job that writes it stops at the next thousand rows.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`; `CONFLICT` when it has ended.
 */
export async function cancelExport(
  deps: ExportsDeps,
  context: CallContext,
  input: ExportRef,
): Promise<UsageExport> {
  await getExportToEnd(deps, context, input);
  const { row, files } = await deps.transact.asOperator(
    async (tx) => {
      const cancelled = await cancelExportRow(tx, input, deps.clock.now());
      if (cancelled === undefined) {
        throw noRoom("The export is over already.");
      }
      return { row: cancelled, files: await deleteExportChunks(tx, input) };
    },
    { holder: input.tenantId },
  );
  await deleteExportContent(deps.fileStore, files);
  return toExportReply(input.tenantId, row);
}

/** @throws {AppError} `RESOURCE_NOT_FOUND`, `INSUFFICIENT_SCOPE`. */
export async function deleteExport(
  deps: ExportsDeps,
  context: CallContext,
  input: ExportRef,
): Promise<void> {
  const { name } = await getExportToEnd(deps, context, input);
  const files = await deps.transact.asOperator(
    async (tx) => {
      if (!(await lockExport(tx, input))) {
        throw resourceNotFound("export");
      }
      const chunks = await deleteExportChunks(tx, input);
      await deleteExportRow(tx, input);
      await writeAudit(deps, tx, context, {
        tenantId: input.tenantId,
        action: "export.deleted",
        entityType: "export",
        entityId: input.exportId,
        details: { name },
      });
      return chunks;
    },
    { holder: input.tenantId },
  );
  await deleteExportContent(deps.fileStore, files);
}
