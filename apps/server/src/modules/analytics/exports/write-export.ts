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
import { streamUsage } from "../queries/analytics.store.ts";
import { listVersions, toRow } from "../queries/query-usage.ts";
import { readableSources } from "../queries/read-rollups.ts";
import { isLatency } from "../queries/to-usage-values.ts";
import { toCsvHead, toCsvLine } from "../queries/usage-csv.ts";
import { deleteExportContent } from "./delete-export-content.ts";
import {
  addExportChunk,
  claimExport,
  deleteExportChunks,
  type ExportAttempt,
  type ExportRow,
  finishExport,
  isExportOurs,
  listKeyNames,
} from "./exports.store.ts";
import { type ExportPlan, planExport } from "./plan-export.ts";

/** The most bytes of one export, and of all of a tenant's before it may create another one. */
export const EXPORT_BYTES_MAX = 10 * 1024 ** 3;
/** How long the content of an export is kept. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
/** Rows in memory at once. */
const ROWS_AT_ONCE = 1_000;
/** The longest that the database may take for the next thousand rows. */
const ROWS_TIMEOUT_MS = 4 * 60_000;
/** The longest turn, and so the longest chunk. */
const TURN_SECONDS = 12 * 60 * 60;
/** Chunks in one turn. Then the export goes to the end of the queue, so that long exports do not hold up others. */
const CHUNKS_OF_TURN = 5;

export const writeExportJob = defineJob({
  name: "exports.write",
  schema: z.object({ tenantId: tenantIdSchema, exportId: z.string() }),
  // Of each turn: the next turn is a new job.
  retryLimit: 10,
  retryDelaySeconds: 2,
  retryDelaySecondsMax: 60,
  expireInSeconds: TURN_SECONDS,
  // A killed process is noticed after this, and another attempt continues after the last chunk.
  heartbeatSeconds: 30,
});

export type WriteExportDeps = AppServices & { fileStore: FileStore; jobs: JobQueue };

/** The export was cancelled, deleted or taken over: this attempt has nothing more to do. */
class NotOursError extends Error {
  override readonly name = "NotOursError";
}

type Chunk = {
  plan: ExportPlan;
  row: ExportRow;
  at: ExportAttempt;
  index: number;
  /** True when another job writes the next chunk. */
  isLastOfTurn: boolean;
};

/** Batches of rows of one chunk. Before each, the export is checked for having been stopped. */
async function* readRows(
  deps: WriteExportDeps,
  tx: Tx,
  { plan, at, index }: Chunk,
  signal: AbortSignal,
): AsyncGenerator<UsageRow[]> {
  const planned = plan.chunks[index] ?? plan.period;
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

/** The start of an export as JSON: the members of a report that describe the rows. */
function toJsonHead({ plan, row }: Chunk): string {
  const { grain, timeZone, measures, dimensions } = plan;
  const from = row.from_at.toISOString();
  const to = row.to_at.toISOString();
  const head = JSON.stringify({ from, to, grain, timeZone, measures, dimensions });
  return `${head.slice(0, -1)},"rows":[\n`;
}

async function* writeJson(
  chunk: Chunk,
  batches: AsyncIterable<readonly UsageRow[]>,
  onRow: () => void,
): AsyncGenerator<string> {
  if (chunk.index === 0) {
    yield toJsonHead(chunk);
  }
  let isFirst = chunk.row.rows_written === 0n;
  for await (const rows of batches) {
    let text = "";
    for (const row of rows) {
      text += `${isFirst ? "" : ",\n"}${JSON.stringify(row)}`;
      isFirst = false;
      onRow();
    }
    yield text;
  }
  if (chunk.index === chunk.plan.chunks.length - 1) {
    yield "\n]}\n";
  }
}

async function* writeCsv(
  deps: WriteExportDeps,
  chunk: Chunk,
  batches: AsyncIterable<readonly UsageRow[]>,
  onRow: () => void,
): AsyncGenerator<string> {
  const { plan, at } = chunk;
  if (chunk.index === 0) {
    yield toCsvHead({ ...plan, keyNames: new Map() });
  }
  for await (const rows of batches) {
    const keyIds = new Set(rows.flatMap(({ group }) => group.key ?? []));
    // On another connection, because this one is in the middle of an answer.
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

/** Writes the next chunk and commits it. @returns The export as it then is. */
async function writeChunk(
  deps: WriteExportDeps,
  chunk: Chunk,
  signal: AbortSignal,
): Promise<ExportRow> {
  const { at, row, plan } = chunk;
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
      const batches = readRows(deps, tx, chunk, signal);
      const texts =
        row.format === "csv"
          ? writeCsv(deps, chunk, batches, onRow)
          : writeJson(chunk, batches, onRow);
      return await deps.fileStore.put(fileId, toBytes(texts), {
        bytesMax: EXPORT_BYTES_MAX - Number(row.bytes_written),
      });
    },
  );
  const isLast = chunk.index === plan.chunks.length - 1;
  const now = deps.clock.now();
  const isAdded = await deps.transact.asOperator(async (tx) => {
    const isOurs = await addExportChunk(tx, at, { index: chunk.index, fileId, bytes, rows });
    if (isOurs && isLast) {
      const expiresAt = new Date(now.getTime() + KEPT_MS);
      await finishExport(tx, at, { state: "done", finishedAt: now, expiresAt });
    } else if (isOurs && chunk.isLastOfTurn) {
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

/** The reason that people read; undefined for a failure that another attempt may not meet. */
function toFailure(error: unknown): string | undefined {
  if (error instanceof FileTooLargeError) {
    return `It has more than ${String(EXPORT_BYTES_MAX / 1024 ** 3)} GiB: narrow the range.`;
  }
  if (error instanceof AppError) {
    return error.message;
  }
  return error instanceof z.ZodError ? "The question is not understood any more." : undefined;
}

async function writeChunks(
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
  const end = Math.min(claimed.parts_done + CHUNKS_OF_TURN, plan.chunks.length);
  while (row.parts_done < end) {
    const index = row.parts_done;
    row = await writeChunk(deps, { plan, row, at, index, isLastOfTurn: index === end - 1 }, signal);
  }
}

/** Fails an export that cannot be written, and deletes its chunks, which no one may read. */
async function failExport(
  deps: WriteExportDeps,
  at: ExportAttempt,
  failure: string,
): Promise<void> {
  const files = await deps.transact.asOperator(async (tx) => {
    const end = { state: "failed" as const, finishedAt: deps.clock.now(), failure };
    return (await finishExport(tx, at, end)) ? await deleteExportChunks(tx, at) : [];
  });
  await deleteExportContent(deps.fileStore, files);
}

/**
 * Writes the next chunks of an export, from the first one that is not committed, and enqueues the job for the following ones.
 * An attempt after a crash continues where the last one ended; of two that overlap, only the later one commits.
 *
 * @throws Failures that another attempt may not meet, unless this is the last one, and every failure after it was stopped.
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
    await writeChunks(deps, claimed, at, attempt.signal);
  } catch (error) {
    if (error instanceof NotOursError) {
      return;
    }
    if (attempt.signal.aborted) {
      // It was stopped, which says nothing about the export: the next attempt or the daily limit decides.
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
