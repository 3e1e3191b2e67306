import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { toTable } from "../../apps/server/src/cli/print.ts";
import type { ReplayState } from "./replay-state.ts";
import type { SendResult } from "./send-log.ts";

export type ReplayReport = {
  tenantId: string;
  slug: string;
  lines: number;
  answered: number;
  /** Sent, and no answer came: the gateway may have metered them before it ended. */
  unanswered: number;
  skipped: SendResult["skipped"];
  cut: number;
  otherStatus: number;
  byStatus: { status: number; client: number; ledger: number }[];
  ledger: number;
  /** Calls that were answered and are not in the ledger; below 0, calls that are there without an answer. */
  missing: number;
  agrees: boolean;
  seconds: number;
  callsPerSecond: number;
};

const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0);

/**
 * Compares what the client was answered with what the ledger holds.
 *
 * @param input.allowLost - How many answered calls the ledger may lack: 0 but after a `kill -9` of the server, which loses
 *   at most the group being filled. What was sent and never answered may then stand in the ledger as well.
 */
export function toReport(input: {
  tenant: { tenantId: string; slug: string };
  state: ReplayState;
  result: SendResult;
  ledger: ReadonlyMap<number, number>;
  allowLost: number;
  lines: number;
  seconds: number;
}): ReplayReport {
  const { state, result, ledger } = input;
  const statuses = [...new Set([...state.byStatus.keys(), ...ledger.keys()])].sort((a, b) => a - b);
  const byStatus = statuses.map((status) => ({
    status,
    client: state.byStatus.get(status) ?? 0,
    ledger: ledger.get(status) ?? 0,
  }));
  const answered = sum(state.byStatus.values());
  const inLedger = sum(ledger.values());
  const missing = answered - inLedger;
  const isExact = byStatus.every((row) => row.client === row.ledger);
  const isWithin = missing <= input.allowLost && -missing <= state.unanswered;
  const wasInterrupted = input.allowLost > 0 || state.unanswered > 0;
  return {
    ...input.tenant,
    lines: input.lines,
    answered,
    unanswered: state.unanswered,
    skipped: result.skipped,
    cut: result.cut,
    otherStatus: result.otherStatus,
    byStatus,
    ledger: inLedger,
    missing,
    agrees:
      result.otherStatus === 0 &&
      (isExact || (wasInterrupted && isWithin)) &&
      (result.cut === 0 || wasInterrupted),
    seconds: Math.round(input.seconds * 10) / 10,
    callsPerSecond: Math.round(answered / Math.max(0.001, input.seconds)),
  };
}

function toVerdict({ agrees, missing }: ReplayReport): string {
  if (missing === 0) {
    return agrees ? "Client and ledger agree." : "Client and ledger DIFFER.";
  }
  const calls = `${toGrouped(Math.abs(missing))} calls`;
  const difference =
    missing > 0
      ? `The ledger lacks ${calls} that were answered`
      : `The ledger holds ${calls} whose answer never came`;
  return agrees ? `${difference}: within what the crash explains.` : `${difference}: they DIFFER.`;
}

/** Lays a report out for people. */
export function toReportText(report: ReplayReport): string {
  const total = { status: "total", client: report.answered, ledger: report.ledger };
  const rows = [...report.byStatus.map((row) => ({ ...row, status: String(row.status) })), total];
  const table = toTable(
    rows,
    [
      { header: "STATUS", value: (row) => row.status },
      { header: "ANSWERED", value: (row) => toGrouped(row.client), align: "right" },
      { header: "IN THE LEDGER", value: (row) => toGrouped(row.ledger), align: "right" },
    ],
    "",
  );
  const skipped = report.skipped.first.map(({ line, reason }) => `  line ${line}: ${reason}`);
  const notes = [
    report.skipped.count > 0 ? `${toGrouped(report.skipped.count)} lines cannot be sent:` : "",
    ...skipped,
    report.cut > 0 ? `${toGrouped(report.cut)} answers were cut off.` : "",
    report.unanswered > 0
      ? `${toGrouped(report.unanswered)} calls were sent and never answered; their lines were sent again.`
      : "",
    report.otherStatus > 0
      ? `${toGrouped(report.otherStatus)} answers had another status than the log.`
      : "",
  ].filter((note) => note !== "");
  return [
    table,
    "",
    ...notes,
    toVerdict(report),
    `${toGrouped(report.answered)} calls in ${report.seconds} s. See them: npm run turnpike -- usage --tenant ${report.slug} --by status`,
  ].join("\n");
}
