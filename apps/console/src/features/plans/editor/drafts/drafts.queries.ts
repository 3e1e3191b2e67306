import { queryOptions } from "@tanstack/react-query";
import type { DraftsRow, DraftsTotals } from "@turnpike/contract/plan-drafts-preview";
import type { Platform } from "#platform/platform.tsx";
import { readJsonLines } from "#platform/read-json-lines.ts";
import { addRow, createReport, type DraftsReport } from "./drafts-report.view-model.ts";

/** So often an answer that broke off is asked to go on. */
const RESUMES_MAX = 3;

type Lines = (after: string | undefined) => AsyncIterable<unknown>;

/** Reads all rows, and goes on after the last one where an answer breaks off. */
export async function readDraftsReport(ask: Lines): Promise<DraftsReport> {
  const report = createReport();
  let after: string | undefined;
  for (let resumes = 0; resumes <= RESUMES_MAX; resumes += 1) {
    const isLast = resumes === RESUMES_MAX;
    try {
      for await (const line of ask(after)) {
        const row = line as DraftsRow | DraftsTotals;
        if (row.kind === "end") {
          return report;
        }
        // A draft with a fault has no subscriber to go on after, and may come again.
        const isKnown =
          row.kind === "fault" && report.faults.some(({ planName }) => planName === row.planName);
        if (!isKnown) {
          addRow(report, row);
        }
        after = row.kind === "subscriber" ? `${row.planId}.${row.tenantId}` : after;
      }
    } catch (cause) {
      if (isLast || after === undefined) {
        throw cause;
      }
    }
  }
  throw new Error("The answer broke off before its end. Try again.");
}

/** What publishing all drafts, and moving all subscribers to them, would change. */
export function draftsReportQuery({ config, session }: Pick<Platform, "config" | "session">) {
  return queryOptions({
    queryKey: ["plan-drafts", "preview"],
    queryFn: ({ signal }) =>
      readDraftsReport((after) =>
        readJsonLines({
          getIdToken: session.getIdToken,
          url: `${config.urls.api}/v1/catalog/drafts/preview${after === undefined ? "" : `?after=${encodeURIComponent(after)}`}`,
          signal,
        }),
      ),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
}
