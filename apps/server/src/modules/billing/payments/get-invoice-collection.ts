import type { DunningCalendarView, InvoiceCollection } from "@turnpike/contract/payments";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { listReminders } from "@turnpike/domain/billing/lifecycle/reminders";
import { toCreditorReference } from "@turnpike/domain/billing/payments/check-digits";
import { accessAt, type DunningCalendar, datesOf } from "@turnpike/domain/billing/payments/dunning";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { readAccount } from "../accounts/change-account.ts";
import { effectiveMs } from "../accounts/effective-ms.ts";
import type { LoadedAccount } from "../accounts/load-accounts.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { findInvoiceRow } from "../invoices/invoices.store.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { dueDatesOf } from "../reminders/collect-reminders.ts";
import { listAttempts } from "./attempts.store.ts";
import { findMethod } from "./methods.store.ts";
import { toAttempt } from "./to-attempt.ts";
import { toBank } from "./to-bank.ts";

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

function sayNext(
  { nextAttempts, blockedFrom, standing, isStopped }: Omit<DunningCalendarView, "texts">,
  hasMethod: boolean,
): string[] {
  const [next] = nextAttempts;
  const texts: string[] = [];
  if (next !== undefined) {
    texts.push(`The payment is tried again on ${DAY.format(Date.parse(next))}.`);
  } else if (isStopped) {
    texts.push("It is not tried again: the bank refuses this way to pay. Set up another one.");
  }
  texts.push(
    standing === "blocked"
      ? "Calls are refused. They pass again as soon as the invoice is paid."
      : `Calls are refused from ${DAY.format(Date.parse(blockedFrom))} on, unless it is paid before.`,
  );
  texts.push(
    hasMethod
      ? "Pay it now to end this at once."
      : "Pay it by transfer, or set up a way to pay, to end this.",
  );
  return texts;
}

/** The days of attempts, after a payment that failed. */
function ofAttempts(calendar: DunningCalendar, { account }: LoadedAccount, nowMs: number) {
  const { dunning } = account.terms;
  const { invoices } = account;
  const { attemptsMs, graceMs, blockedMs } = datesOf(calendar, dunning);
  return {
    begins: "failed_payment" as const,
    since: toIso(calendar.firstFailedMs),
    nextAttempts: attemptsMs.filter((ms) => ms > nowMs).map(toIso),
    nextReminders: [],
    isStopped: calendar.isStopped,
    graceFrom: toIso(graceMs),
    blockedFrom: toIso(blockedMs),
    standing: accessAt([calendar], dunning, { invoices, atMs: nowMs }),
  };
}

const STANDING_BY_DATE = {
  "invoice.overdue": "overdue",
  "invoice.reminder": "overdue",
  "invoice.final_notice": "grace",
  "invoice.blocked": "blocked",
} as const;

/** The days of the due date, for an invoice that is paid by hand. */
function ofDueDate(index: number, loaded: LoadedAccount, { deps, now }: Asked) {
  const dueDates = dueDatesOf(loaded, { paymentDays: deps.billing.paymentDays, now });
  const nowMs = now.getTime() + (loaded.row?.aheadMs ?? 0);
  const stages = listReminders(loaded.account, dueDates).flatMap((reminder) =>
    "invoice" in reminder && reminder.invoice === index ? [reminder] : [],
  );
  const atOf = (kind: string) => stages.find((stage) => stage.kind === kind)?.atMs;
  const [graceMs, blockedMs] = [atOf("invoice.final_notice"), atOf("invoice.blocked")];
  if (graceMs === undefined || blockedMs === undefined) {
    return;
  }
  const last = stages.findLast(({ atMs }) => atMs <= nowMs);
  return {
    begins: "due_date" as const,
    since: toIso(stages[0]?.dueAtMs ?? blockedMs),
    nextAttempts: [],
    nextReminders: stages.filter(({ atMs }) => atMs > nowMs).map(({ atMs }) => toIso(atMs)),
    isStopped: false,
    graceFrom: toIso(graceMs),
    blockedFrom: toIso(blockedMs),
    standing: last === undefined ? ("current" as const) : STANDING_BY_DATE[last.kind],
  };
}

type Asked = { deps: BillingDeps; now: Date };

function toCalendar(
  loaded: LoadedAccount,
  invoiceId: string,
  { hasMethod, ...asked }: Asked & { hasMethod: boolean },
): DunningCalendarView | null {
  const index = loaded.invoiceIds.indexOf(invoiceId);
  const nowMs = effectiveMs(asked.now.getTime() + (loaded.row?.aheadMs ?? 0), loaded.row);
  const own = loaded.account.calendars.find((calendar) => calendar.invoice === index);
  const view = own === undefined ? ofDueDate(index, loaded, asked) : ofAttempts(own, loaded, nowMs);
  return view === undefined ? null : { ...view, texts: sayNext(view, hasMethod) };
}

/**
 * Gets how an invoice is paid: what was tried, what comes next and when calls would be refused, and what a transfer has to name.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant, invoice), `INSUFFICIENT_SCOPE`.
 */
export async function getInvoiceCollection(
  deps: BillingDeps,
  context: CallContext,
  { tenantId, invoiceId }: { tenantId: TenantId; invoiceId: string },
): Promise<InvoiceCollection> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  return await deps.transact.asOperator(async (tx) => {
    const row = await findInvoiceRow(tx, { tenantId, invoiceId });
    if (row === undefined) {
      throw resourceNotFound("invoice");
    }
    const { environment, currency, state } = row;
    const key = { tenantId, environment };
    const attempts = await listAttempts(tx, { tenantId, invoiceId });
    const method = await findMethod(tx, key);
    const loaded = state === "open" ? await readAccount(deps, tx, { key }) : undefined;
    return {
      invoiceId,
      due: formatMinor(BigInt(row.due), currencyOf(currency)),
      currency,
      reference: toCreditorReference(row.number),
      bank: toBank(deps.billing),
      isAutomatic: method !== undefined,
      attempts: attempts.map(toAttempt),
      calendar:
        loaded === undefined
          ? null
          : toCalendar(loaded, invoiceId, {
              deps,
              now: deps.clock.now(),
              hasMethod: method !== undefined,
            }),
    };
  });
}
