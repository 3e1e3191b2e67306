import { t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { refreshKeys, type TenantId } from "../api-keys.queries.ts";
import { toFailureReason } from "../failure-reason.ts";
import {
  addAnswer,
  type ImportBatch,
  type ImportTally,
  startTally,
  toBatches,
} from "./import-run.view-model.ts";
import {
  decodeImportFile,
  IMPORT_FILE_BYTES_MAX,
  ImportFileError,
  type ImportRow,
  readImportText,
} from "./read-import-text.ts";

/** A parsed file, and the progress of its requests. */
type Work = {
  fileName: string;
  rows: readonly ImportRow[];
  batches: readonly ImportBatch[];
  /** A dry run imports nothing. */
  isDryRun: boolean;
  /** Requests that were answered. */
  sent: number;
  tally: ImportTally;
};

export type ImportState =
  | { step: "choose"; error?: string }
  | { step: "reading"; fileName: string }
  | { step: "running"; work: Work }
  /** `reason` is undefined when the person stopped it. */
  | { step: "stopped"; work: Work; reason: string | undefined }
  | { step: "checked"; work: Work }
  | { step: "done"; work: Work };

/** Imports a file: reads it, checks it in a dry run, and imports a thousand rows per request. Imported rows stay imported. */
export function useKeyImport(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [state, setState] = useState<ImportState>({ step: "choose" });
  const isStopped = useRef(false);
  const isLeft = useRef(false);
  const isImporting = state.step === "running" && !state.work.isDryRun;

  // The outside system is the network: after the page is left, no more requests are sent.
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isStopped.current = true;
      isLeft.current = true;
    };
  }, []);

  // The outside system is the browser, which asks before it closes a window with unfinished work.
  useEffect(() => {
    if (!isImporting) {
      return;
    }
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isImporting]);

  async function run(from: Work): Promise<void> {
    let work = from;
    isStopped.current = false;
    setState({ step: "running", work });
    for (const batch of work.batches.slice(work.sent)) {
      if (isStopped.current) {
        setState({ step: "stopped", work, reason: undefined });
        break;
      }
      try {
        const rows = batch.map((row) => row.value);
        const answer = await api.keys.import({ tenantId, dryRun: work.isDryRun, rows });
        work = { ...work, sent: work.sent + 1, tally: addAnswer(work.tally, batch, answer) };
        setState({ step: "running", work });
      } catch (cause) {
        setState({ step: "stopped", work, reason: toFailureReason(cause) });
        break;
      }
    }
    if (isLeft.current && !work.isDryRun) {
      sayWhatCameOf(work);
    }
    if (work.sent === work.batches.length) {
      setState({ step: work.isDryRun ? "checked" : "done", work });
    }
    if (!work.isDryRun) {
      await refreshKeys(client, tenantId);
    }
  }

  async function choose(file: File): Promise<void> {
    setState({ step: "reading", fileName: file.name });
    try {
      if (file.size > IMPORT_FILE_BYTES_MAX) {
        throw new ImportFileError(t`The file is larger than 32 MB: split it.`);
      }
      const rows = await readImportText(decodeImportFile(await file.arrayBuffer()));
      await run({
        fileName: file.name,
        rows,
        batches: toBatches(rows),
        isDryRun: true,
        sent: 0,
        tally: startTally(rows),
      });
    } catch (cause) {
      setState({
        step: "choose",
        error:
          cause instanceof ImportFileError
            ? cause.message
            : t`The file cannot be read: ${toFailureReason(cause)}`,
      });
    }
  }

  return {
    state,
    choose: (file: File) => void choose(file),
    /** Imports the file that the dry run checked. */
    start: (work: Work) =>
      void run({ ...work, isDryRun: false, sent: 0, tally: startTally(work.rows) }),
    /** Continues where it stopped. */
    goOn: (work: Work) => void run(work),
    stop: () => {
      isStopped.current = true;
    },
    reset: () => setState({ step: "choose" }),
  };
}

/** For a person who has left the page: this is their only report of the progress. Choosing the file again skips imported rows. */
function sayWhatCameOf({ fileName, rows, tally }: Work): void {
  if (tally.done === rows.length) {
    toast.success(t`${fileName} was imported: ${formatCount(tally.imported)} new keys.`);
  } else {
    toast.warning(
      t`The import of ${fileName} stopped when you left: ${formatCount(tally.done)} of ${formatCount(rows.length)} rows were processed. Choose the file again to continue.`,
      { duration: Number.POSITIVE_INFINITY, closeButton: true },
    );
  }
}
