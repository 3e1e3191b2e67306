import { type FileHandle, open } from "node:fs/promises";
import type { LogLineOptions } from "@turnpike/domain/access-log/parse-log-line";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { PathMode } from "@turnpike/domain/privacy/redact";
import type { RouteDocuments } from "#modules/gateway/index.ts";
import { ensureHistoryKey, historyKeyIdOf } from "#modules/keys/index.ts";
import { importHistory, recordImport, rollUpUsage } from "#modules/metering/index.ts";
import { InputFileError } from "../input-file-error.ts";
import type { CommandSession } from "../run-command.ts";
import { type BadLine, type FileSummary, type ImportSummary, ImportTally } from "./import-tally.ts";
import { createLineReader, type LineRead } from "./read-history-line.ts";
import { LogUnreadable, type OpenLog, readLogLines } from "./read-log-lines.ts";
import type { ResolvedRules } from "./resolve-rules.ts";

type Session = Pick<CommandSession, "deps" | "context" | "signal">;

export type ImportLogsInput = {
  logs: readonly OpenLog[];
  rules: ResolvedRules;
  line: LogLineOptions;
  dryRun: boolean;
  again: boolean;
  /** Where every bad line goes, one JSON document on each line; undefined keeps the first hundred in the summary alone. */
  errorsPath: string | undefined;
  consoleUrl: string;
  /** As of the gateway, so that past and present calls have the same routes. */
  documents?: Pick<RouteDocuments, "findRoute">;
  paths?: PathMode;
  onProgress(progress: { bytes: number; lines: number }): void;
  /** Lines in one transaction; undefined for as many as are usual. */
  batchLines?: number;
};

async function openErrors(path: string | undefined): Promise<FileHandle | undefined> {
  try {
    return path === undefined ? undefined : await open(path, "w");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new InputFileError(`${String(path)} cannot be written (${code}).`);
  }
}

async function appendErrors(file: FileHandle | undefined, bad: readonly BadLine[]): Promise<void> {
  if (file !== undefined && bad.length > 0) {
    await file.appendFile(bad.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}

/** Makes the keys that history is drawn by, and the entry of the audit trail, once for each tenant that gets calls. */
function createPreparation({ deps, context }: Session, input: ImportLogsInput) {
  const prepared = new Set<TenantId>();
  const withHistoryKey = new Set(
    input.rules.rules.flatMap(({ target }) =>
      target !== null && target.keyId === historyKeyIdOf(target.tenantId) ? [target.tenantId] : [],
    ),
  );
  const files = input.logs.map(({ name }) => name).slice(0, 100);
  return async (tenantIds: ReadonlySet<TenantId>): Promise<void> => {
    for (const tenantId of tenantIds) {
      if (prepared.has(tenantId)) {
        continue;
      }
      if (withHistoryKey.has(tenantId)) {
        await ensureHistoryKey(deps, context, { tenantId });
      }
      await recordImport(deps, context, { tenantId, files });
      prepared.add(tenantId);
    }
  };
}

/** @throws {InputFileError} that names the log and the way out. */
function explainConflict(error: unknown, log: OpenLog): unknown {
  return error instanceof AppError && error.code === "CONFLICT"
    ? new InputFileError(`${log.name}: ${error.message} Add --again to import it nevertheless.`)
    : error;
}

/**
 * Imports logs, one after the other. A log that breaks off is imported up to there, and the next one is gone on with.
 *
 * @throws {InputFileError} When a log was imported by other rules before, or the file for bad lines cannot be written.
 */
export async function importLogs(session: Session, input: ImportLogsInput): Promise<ImportSummary> {
  const { deps, context, signal } = session;
  const startedAtMs = deps.clock.monotonicMs();
  const tally = new ImportTally();
  const read = createLineReader({
    rules: input.rules.rules,
    options: input.line,
    nowMs: deps.clock.now().getTime(),
    documents: input.documents,
    paths: input.paths,
  });
  const prepare = createPreparation(session, input);
  const errors = await openErrors(input.errorsPath);
  let bytes = 0;

  async function importLog(log: OpenLog, file: FileSummary): Promise<void> {
    const pieces = readLogLines(log, (count) => {
      bytes += count;
    });
    await importHistory<LineRead>(deps, context, {
      scope: input.rules.scope,
      tenantIds: [...input.rules.tenants.keys()],
      lines: pieces,
      read,
      toCall: (line) => (typeof line === "object" && "call" in line ? line.call : undefined),
      prepare,
      async onBatch({ lines, reads }) {
        if (reads === undefined) {
          tally.addKnown(file, lines);
        } else {
          await appendErrors(errors, tally.addReads(file, reads));
        }
        input.onProgress({ bytes, lines: tally.lines });
      },
      dryRun: input.dryRun,
      again: input.again,
      signal,
      ...(input.batchLines === undefined ? {} : { batchLines: input.batchLines }),
    });
  }

  try {
    for (const log of input.logs) {
      const file = tally.startFile(log.name);
      try {
        await importLog(log, file);
      } catch (error) {
        if (!(error instanceof LogUnreadable)) {
          throw explainConflict(error, log);
        }
        file.failure = error.message;
      }
    }
  } finally {
    await errors?.close();
  }
  if (!input.dryRun) {
    // The jobs would do so within ten minutes; until then, every chart would add up the whole log.
    await rollUpUsage(deps, "minutes", { signal });
    await rollUpUsage(deps, "hours", { signal });
  }
  return tally.summarise({
    dryRun: input.dryRun,
    tenants: input.rules.tenants,
    consoleUrl: input.consoleUrl,
    seconds: (deps.clock.monotonicMs() - startedAtMs) / 1_000,
  });
}
