import { exportQuestion } from "@turnpike/contract/exports";
import { tenantId as tenantIdSchema } from "@turnpike/contract/shapes";
import type { UsageRow } from "@turnpike/contract/usage";
import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import { z } from "zod";
import { type FileStore, FileTooLargeError, StorageFullError } from "#modules/files/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { defineJob, type JobAttempt } from "#platform/define-job.ts";
import type { JobQueue } from "#platform/job-queue.ts";
import { streamUsage } from "./analytics.store.ts";
import { deleteExportContent } from "./delete-export-content.ts";
import {
  addExportPart,
  claimExport,
  deleteExportParts,
  type ExportAttempt,
  type ExportRow,
  finishExport,
  isExportOurs,
  listKeyNames,
} from "./exports.store.ts";
import { type ExportPlan, planExport } from "./plan-export.ts";
import { listVersions, toRow } from "./query-usage.ts";
import { readableSources } from "./read-rollups.ts";
import { isLatency } from "./to-usage-values.ts";
import { toCsvHead, toCsvLine } from "./usage-csv.ts";

/** What one export may have, and at which a tenant's exports leave no room for another one. */
export const EXPORT_BYTES_MAX = 10 * 1024 ** 3;
/** How long the content of an export is kept. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
/** What is in memory at once. */
const ROWS_AT_ONCE = 1_000;
/** The longest that the database may think before the next thousand rows. */
const ROWS_TIMEOUT_MS = 4 * 60_000;
/** The longest turn, and so the longest part: what a part may have is bounded by its bytes. */
const TURN_SECONDS = 12 * 60 * 60;
/** After so many the export goes to the end of the queue, so that long ones hold up nobody's for longer than that. */
const PARTS_AT_ONCE = 5;

export const writeExportJob = defineJob({
  name: "exports.write",
  schema: z.object({ tenantId: tenantIdSchema, exportId: z.string() }),
  // Of each turn: one that comes to its end is followed by a job of its own.
  retryLimit: 10,
  retryDelaySeconds: 2,
  retryDelaySecondsMax: 60,
  expireInSeconds: TURN_SECONDS,
  // A killed process is noticed after this, and another attempt goes on behind the last part.
  heartbeatSeconds: 30,
});

export type WriteExportDeps = AppServices & { fileStore: FileStore; jobs: JobQueue };

/** The export was cancelled, deleted, or taken over: there is nothing more to do for this attempt. */
class NotOursError extends Error {
  override readonly name = "NotOursError";
}

type Part = {
  plan: ExportPlan;
  row: ExportRow;
  at: ExportAttempt;
  part: number;
  /** Whether the next one is another job's to write. */
  isLastOfTurn: boolean;
};

/** Of one part: batches of rows as they come, each checked against an export that somebody stopped meanwhile. */
async function* readRows(
  deps: WriteExportDeps,
  tx: Tx,
  { plan, at, part }: Part,
  signal: AbortSignal,
): AsyncGenerator<UsageRow[]> {
  const planned = plan.parts[part] ?? plan.period;
  const period = { ...planned, sources: await readableSources(tx, planned.sources) };
  const batches = streamUsage(
    tx,
    { tenantId: at.tenantId, plan, period, hasLatency: plan.measures.some(isLatency) },
    ROWS_AT_ONCE,
  );
  for await (const batch of batches) {
    signal.throwIfAborted();
    if (!(await deps.transact.asTenant(at.tenantId, (own) => isExportOurs(own, at)))) {
      throw new NotOursError("The export is not ours any more.");
    }
    yield batch.filter((row) => !row.is_total).map((row) => toRow(plan, period, row));
  }
}

/** What stands before the rows of an export as JSON: the parts of a report that say what the rows are. */
function toJsonHead({ plan, row }: Part): string {
  const { grain, timeZone, measures, dimensions } = plan;
  const from = row.from_at.toISOString();
  const to = row.to_at.toISOString();
  const head = JSON.stringify({ from, to, grain, timeZone, measures, dimensions });
  return `${head.slice(0, -1)},"rows":[\n`;
}

async function* writeJson(
  part: Part,
  batches: AsyncIterable<readonly UsageRow[]>,
  onRow: () => void,
): AsyncGenerator<string> {
  if (part.part === 0) {
    yield toJsonHead(part);
  }
  let isFirst = part.row.rows_written === 0n;
  for await (const rows of batches) {
    let text = "";
    for (const row of rows) {
      text += `${isFirst ? "" : ",\n"}${JSON.stringify(row)}`;
      isFirst = false;
      onRow();
    }
    yield text;
  }
  if (part.part === part.plan.parts.length - 1) {
    yield "\n]}\n";
  }
}

async function* writeCsv(
  deps: WriteExportDeps,
  part: Part,
  batches: AsyncIterable<readonly UsageRow[]>,
  onRow: () => void,
): AsyncGenerator<string> {
  const { plan, at } = part;
  if (part.part === 0) {
    yield toCsvHead({ ...plan, keyNames: new Map() });
  }
  for await (const rows of batches) {
    const keyIds = new Set(rows.flatMap(({ group }) => group.key ?? []));
    // On a connection of its own: the other one is in the middle of its answer.
    const keyNames = await deps.transact.asTenant(at.tenantId, (tx) =>
      listKeyNames(tx, at.tenantId, [...keyIds]),
    );
    yield rows.map((row) => toCsvLine({ ...plan, keyNames }, row)).join("");
    rows.forEach(onRow);
  }
}

async function* toBytes(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) {
    yield Buffer.from(text);
  }
}

/** Writes the next part and commits it. @returns The export as it then is. */
async function writePart(
  deps: WriteExportDeps,
  part: Part,
  signal: AbortSignal,
): Promise<ExportRow> {
  const { at, row, plan } = part;
  const fileId = deps.newId("file");
  let rows = 0;
  const onRow = () => {
    rows += 1;
  };
  const { bytes } = await deps.transact.asAnalyst(
    {
      tenantId: at.tenantId,
      timeoutMs: ROWS_TIMEOUT_MS,
      transactionTimeoutMs: TURN_SECONDS * 1_000,
    },
    async (tx) => {
      const batches = readRows(deps, tx, part, signal);
      const texts =
        row.format === "csv"
          ? writeCsv(deps, part, batches, onRow)
          : writeJson(part, batches, onRow);
      return await deps.fileStore.put(fileId, toBytes(texts), {
        bytesMax: EXPORT_BYTES_MAX - Number(row.bytes_written),
      });
    },
  );
  const isLast = part.part === plan.parts.length - 1;
  const now = deps.clock.now();
  const isAdded = await deps.transact.asOperator(async (tx) => {
    const isOurs = await addExportPart(tx, at, { part: part.part, fileId, bytes, rows });
    if (isOurs && isLast) {
      const expiresAt = new Date(now.getTime() + KEPT_MS);
      await finishExport(tx, at, { state: "done", finishedAt: now, expiresAt });
    } else if (isOurs && part.isLastOfTurn) {
      const { tenantId, exportId } = at;
      await deps.jobs.enqueue(
        writeExportJob,
        { tenantId, exportId },
        { tx, singletonKey: exportId },
      );
    }
    return isOurs;
  });
  if (!isAdded) {
    await deps.fileStore.delete(fileId);
    throw new NotOursError("The export is not ours any more.");
  }
  return {
    ...row,
    parts_done: row.parts_done + 1,
    rows_written: row.rows_written + BigInt(rows),
    bytes_written: row.bytes_written + BigInt(bytes),
  };
}

/** What people are told; undefined for what another attempt may not meet again. */
function toFailure(error: unknown): string | undefined {
  if (error instanceof FileTooLargeError) {
    return `It has more than ${String(EXPORT_BYTES_MAX / 1024 ** 3)} GiB: narrow the range.`;
  }
  if (error instanceof AppError) {
    return error.message;
  }
  return error instanceof z.ZodError ? "The question is not understood any more." : undefined;
}

async function writeParts(
  deps: WriteExportDeps,
  claimed: ExportRow,
  at: ExportAttempt,
  signal: AbortSignal,
): Promise<void> {
  const question = exportQuestion.parse({
    ...claimed.question,
    from: claimed.from_at.toISOString(),
    to: claimed.to_at.toISOString(),
  });
  const plan = await deps.transact.asTenant(at.tenantId, async (tx) =>
    planExport(question, deps.clock.now(), await listVersions(tx, question)),
  );
  let row = claimed;
  const end = Math.min(claimed.parts_done + PARTS_AT_ONCE, plan.parts.length);
  while (row.parts_done < end) {
    const part = row.parts_done;
    row = await writePart(deps, { plan, row, at, part, isLastOfTurn: part === end - 1 }, signal);
  }
}

/** Ends an export that cannot be written: nobody may have the parts that were, so that they must not take up room. */
async function failExport(
  deps: WriteExportDeps,
  at: ExportAttempt,
  failure: string,
): Promise<void> {
  const files = await deps.transact.asOperator(async (tx) => {
    const end = { state: "failed" as const, finishedAt: deps.clock.now(), failure };
    return (await finishExport(tx, at, end)) ? await deleteExportParts(tx, at) : [];
  });
  await deleteExportContent(deps.fileStore, files);
}

/**
 * Writes the next parts of an export, from the first one that is not committed, and enqueues the job for those that follow:
 * an attempt after a crash goes on where the last one ended, and of two that overlap only the later one commits.
 *
 * @throws What another attempt may not meet again, unless this is the last one; whatever happens after it was told to stop.
 */
export async function writeExport(
  deps: WriteExportDeps,
  payload: z.infer<typeof writeExportJob.schema>,
  attempt: Pick<JobAttempt, "isLast" | "signal">,
): Promise<void> {
  const claimed = await deps.transact.asOperator((tx) => claimExport(tx, payload));
  if (claimed === undefined) {
    return;
  }
  const at = { ...payload, attempt: claimed.attempt };
  try {
    await writeParts(deps, claimed, at, attempt.signal);
  } catch (error) {
    if (error instanceof NotOursError) {
      return;
    }
    if (attempt.signal.aborted) {
      // It was told to stop, which says nothing of the export: the next attempt, or the daily limit, decides.
      throw error;
    }
    const failure =
      toFailure(error) ??
      (!attempt.isLast
        ? undefined
        : error instanceof StorageFullError
          ? "There is no room to store it."
          : "It could not be written. Try again later.");
    if (failure === undefined) {
      throw error;
    }
    deps.logger.warn({ err: error, exportId: at.exportId }, "an export failed");
    await failExport(deps, at, failure);
  }
}
