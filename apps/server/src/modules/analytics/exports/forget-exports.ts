import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { FileStore } from "#modules/files/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { deleteExportContent } from "./delete-export-content.ts";
import {
  deleteExportChunks,
  deleteExportsBefore,
  expireExports,
  failExportsBegunBefore,
} from "./exports.store.ts";

/** How long an export stays in the list after its content is deleted. */
const KNOWN_MS = 30 * 24 * 60 * 60 * 1_000;
/** The longest an export may take. The queue drops a job silently, so nothing else would ever end such an export. */
const UNFINISHED_MS = 24 * 60 * 60 * 1_000;
const BATCH_SIZE = 100;

type ForgetDeps = Pick<AppServices, "transact" | "clock"> & { fileStore: FileStore };

/** Ends exports in batches, and deletes their content. @returns How many. */
async function endExports(
  deps: ForgetDeps,
  mark: (tx: Tx) => Promise<{ tenant_id: TenantId; export_id: string }[]>,
): Promise<number> {
  let ended = 0;
  let isMore = true;
  while (isMore) {
    const { count, files } = await deps.transact.asOperator(async (tx) => {
      const rows = await mark(tx);
      const fileIds: string[] = [];
      for (const row of rows) {
        const ref = { tenantId: row.tenant_id, exportId: row.export_id };
        fileIds.push(...(await deleteExportChunks(tx, ref)));
      }
      return { count: rows.length, files: fileIds };
    });
    await deleteExportContent(deps.fileStore, files);
    ended += count;
    isMore = count === BATCH_SIZE;
  }
  return ended;
}

/**
 * Deletes the content of expired exports, fails those that were created a day ago and are not done, and deletes the rows of
 * those that ended a month ago.
 */
export async function forgetExports(
  deps: ForgetDeps,
): Promise<{ expired: number; failed: number; forgotten: number }> {
  const now = deps.clock.now();
  const expired = await endExports(deps, (tx) => expireExports(tx, { now, limit: BATCH_SIZE }));
  const failed = await endExports(deps, (tx) =>
    failExportsBegunBefore(tx, {
      begunBefore: new Date(now.getTime() - UNFINISHED_MS),
      now,
      failure: "It was not done within a day. Narrow the range, or try again.",
      limit: BATCH_SIZE,
    }),
  );
  const before = new Date(now.getTime() - KNOWN_MS);
  const forgotten = await deps.transact.asOperator((tx) => deleteExportsBefore(tx, before));
  return { expired, failed, forgotten };
}
