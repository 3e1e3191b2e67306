import type { Tx } from "@turnpike/db/client";
import { datesOf } from "@turnpike/domain/billing/payments/dunning";
import { formatMinor } from "@turnpike/domain/money/currency";
import { said } from "@turnpike/domain/text/said";
import { notify } from "#modules/notifications/index.ts";
import { mailMembers } from "#modules/tenants/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import type { ChangedAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import type { AttemptRow } from "./attempts.store.ts";

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const MAILED = ["owner", "billing"] as const;

type Notice = { kind: string; subject: string; title: string; body: string; link: string };

/** Tells the members, in the console and by mail to those who pay. The sandbox sends no mail. */
async function tell(
  deps: BillingDeps,
  tx: Tx,
  { tenantId, environment }: AccountKey,
  { subject, ...notice }: Notice,
): Promise<void> {
  const title = environment === "test" ? `Sandbox: ${notice.title}` : notice.title;
  await notify(deps, tx, { tenantId, ...notice, title });
  if (environment === "live" && deps.mail !== undefined) {
    await mailMembers({ ...deps, ...deps.mail }, tx, {
      tenantId,
      ...notice,
      subject,
      roles: MAILED,
    });
  }
}

/** What comes after a failed payment: when it is tried again, and from when calls are refused. */
function sayNext({ after, loaded }: ChangedAccount, invoiceId: string): string {
  const calendar = after.calendars.find(({ invoice }) => loaded.invoiceIds[invoice] === invoiceId);
  if (calendar === undefined) {
    return "Pay it in the console.";
  }
  const { attemptsMs, blockedMs } = datesOf(calendar, after.terms.dunning);
  const [next] = attemptsMs;
  const tries =
    next === undefined
      ? "It is not tried again by itself: pay in the console, or set up another way to pay."
      : `It is tried again on ${DAY.format(next)}.`;
  return [
    tries,
    `If it is not paid by then, calls are refused from ${DAY.format(blockedMs)} on.`,
  ].join(" ");
}

/** Tells of a payment that failed, in the transaction that records it. @param input.changed - Left out where nothing follows from it. */
export async function notifyOfFailure(
  deps: BillingDeps,
  tx: Tx,
  {
    attempt,
    failure,
    changed,
  }: { attempt: AttemptRow; failure: { message: string }; changed?: ChangedAccount },
): Promise<void> {
  const { invoiceId, invoiceNumber, amount, currency } = attempt;
  const sum = `${formatMinor(BigInt(amount), currencyOf(currency))} ${currency}`;
  await tell(deps, tx, attempt, {
    kind: "payment.failed",
    subject: "A payment did not succeed",
    title: `The payment of ${invoiceNumber} did not succeed`,
    body: [
      said(`${sum} could not be collected: ${failure.message}`),
      ...(changed === undefined ? [] : [sayNext(changed, invoiceId)]),
    ].join(" "),
    link: "/billings",
  });
}

/** Tells that a payment waits for the customer, who has to authenticate it. */
export async function notifyOfAuthentication(
  deps: BillingDeps,
  tx: Tx,
  attempt: AttemptRow,
): Promise<void> {
  const { invoiceNumber, amount, currency } = attempt;
  const sum = `${formatMinor(BigInt(amount), currencyOf(currency))} ${currency}`;
  await tell(deps, tx, attempt, {
    kind: "payment.action_required",
    subject: "Your bank asks you to confirm a payment",
    title: `The payment of ${invoiceNumber} has to be confirmed`,
    body: `Your bank asks you to confirm ${sum} before it pays. Open the invoice and choose to pay it now.`,
    link: "/billings",
  });
}
