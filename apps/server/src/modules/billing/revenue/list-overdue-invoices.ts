import type { OverdueInvoice } from "@turnpike/contract/revenue";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { listStages } from "@turnpike/domain/billing/lifecycle/reminders";
import type { DunningTerms } from "@turnpike/domain/billing/payments/dunning";
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

function toOverdue(
  { issuedAt, dueAt, total, due, ...row }: OverdueRow,
  { dunning, nowMs }: { dunning: DunningTerms; nowMs: number },
): OverdueInvoice {
  const currency = currencyOf(row.currency);
  const stages = listStages(dueAt.getTime(), dunning);
  const next = stages.find(({ atMs }) => atMs > nowMs);
  const blockedMs = stages.at(-1)?.atMs ?? dueAt.getTime();
  return {
    ...row,
    issuedAt: issuedAt.toISOString(),
    dueAt: dueAt.toISOString(),
    total: formatMinor(BigInt(total), currency),
    due: formatMinor(BigInt(due), currency),
    daysOverdue: Math.floor((nowMs - dueAt.getTime()) / DAY_MS),
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
 * Lists live invoices that are open past their due date, the longest first, each with what follows while it is not paid.
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
