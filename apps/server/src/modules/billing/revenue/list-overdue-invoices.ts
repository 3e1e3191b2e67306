import type { DUNNING_STAGES, OverdueInvoice } from "@turnpike/contract/revenue";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { listStages } from "@turnpike/domain/billing/lifecycle/reminders";
import { type DunningTerms, datesOf } from "@turnpike/domain/billing/payments/dunning";
import { OVERDUE_AGES } from "@turnpike/domain/billing/revenue/overdue-ages";
import { isId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { parseCursor } from "#platform/parse-cursor.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { agesAt } from "./ages-at.ts";
import { type DuePlace, listOverdueRows, type OverdueRow } from "./overdue.store.ts";

type OverdueInput = {
  currency?: string | undefined;
  fromDays?: number | undefined;
  cursor?: string | undefined;
  limit: number;
};

const DAY_MS = 24 * 60 * 60 * 1000;

function parsePlace(text: string): DuePlace | undefined {
  const [, ms = "", invoiceId = ""] = /^(\d{1,15})\.(\w+)$/.exec(text) ?? [];
  return isId("invoice", invoiceId) ? { dueAt: new Date(Number(ms)), invoiceId } : undefined;
}

/** What follows while an invoice is not paid: by its due date, or by attempts to collect it once one has failed. */
function listSteps(
  { dueAt, calendar }: OverdueRow,
  dunning: DunningTerms,
): { kind: (typeof DUNNING_STAGES)[number]; atMs: number }[] {
  if (calendar === null) {
    return listStages(dueAt.getTime(), dunning);
  }
  const { attemptsMs, graceMs, blockedMs } = datesOf({ ...calendar, invoice: 0 }, dunning);
  return [
    ...attemptsMs.map((atMs) => ({ kind: "invoice.attempt" as const, atMs })),
    { kind: "invoice.final_notice" as const, atMs: graceMs },
    { kind: "invoice.blocked" as const, atMs: blockedMs },
  ].sort((a, b) => a.atMs - b.atMs);
}

function toOverdue(
  row: OverdueRow,
  { dunning, nowMs }: { dunning: DunningTerms; nowMs: number },
): OverdueInvoice {
  const { invoiceId, tenantId, tenantName, number, standing, issuedAt, dueAt, total, due } = row;
  const currency = currencyOf(row.currency);
  const steps = listSteps(row, dunning);
  const next = steps.find(({ atMs }) => atMs > nowMs);
  const blockedMs = steps.at(-1)?.atMs ?? dueAt.getTime();
  return {
    invoiceId,
    tenantId,
    tenantName,
    number,
    standing,
    currency: row.currency,
    issuedAt: issuedAt.toISOString(),
    dueAt: dueAt.toISOString(),
    total: formatMinor(BigInt(total), currency),
    due: formatMinor(BigInt(due), currency),
    daysOverdue: Math.max(0, Math.floor((nowMs - dueAt.getTime()) / DAY_MS)),
    next: next === undefined ? null : { kind: next.kind, at: new Date(next.atMs).toISOString() },
    blockedAt: new Date(blockedMs).toISOString(),
  };
}

/** Due dates of an age: `[from, to)`. */
function rangeOf(fromDays: number | undefined, now: Date): { from: Date | undefined; to: Date } {
  const ages = agesAt(now);
  const index = Math.max(
    0,
    OVERDUE_AGES.findIndex((age) => age.fromDays === fromDays),
  );
  return fromDays === undefined
    ? { from: undefined, to: now }
    : { from: ages[index + 1], to: ages[index] ?? now };
}

/**
 * Lists live invoices that are open past their due date, or of which a payment has failed, the longest first, each with what follows
 * while it is not paid.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (cursor).
 */
export async function listOverdueInvoices(
  deps: BillingDeps,
  context: CallContext,
  { currency, fromDays, cursor, limit }: OverdueInput,
): Promise<{ items: OverdueInvoice[]; nextCursor: string | null }> {
  assertMay(context.actor, "invoices:read");
  const after = parseCursor(cursor, parsePlace);
  const now = deps.clock.now();
  const range = rangeOf(fromDays, now);
  const rows = await deps.transact.asOperator((tx) =>
    listOverdueRows(tx, { currency, ...range, after, limit: limit + 1 }),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const { dunning } = deps.billing;
  return {
    items: page.map((row) => toOverdue(row, { dunning, nowMs: now.getTime() })),
    nextCursor:
      rows.length > limit && last !== undefined
        ? `${String(last.dueAt.getTime())}.${last.invoiceId}`
        : null,
  };
}
