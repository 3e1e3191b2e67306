import type { Tx } from "@turnpike/db/client";
import { datesOf } from "@turnpike/domain/billing/payments/dunning";
import { formatMinor } from "@turnpike/domain/money/currency";
import { notify } from "#modules/notifications/index.ts";
import { type MemberNotice, mailMembers } from "#modules/tenants/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import type { ChangedAccount } from "../accounts/change-account.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import type { AttemptRow } from "./attempts.store.ts";
import { toAuthenticationNotice, toFailureNotice } from "./payment-notices.ts";

const MAILED = ["owner", "billing"] as const;

/** Tells the members, in the console and by mail to those who pay. The sandbox sends no mail. */
async function tell(
  deps: BillingDeps,
  tx: Tx,
  { tenantId, environment }: AccountKey,
  { subject, ...notice }: MemberNotice,
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

/** What comes after a failed payment; undefined where no calendar says it. */
function findNext(
  { after, loaded }: ChangedAccount,
  invoiceId: string,
): { attemptMs: number | undefined; blockedMs: number } | undefined {
  const calendar = after.calendars.find(({ invoice }) => loaded.invoiceIds[invoice] === invoiceId);
  if (calendar === undefined) {
    return;
  }
  const { attemptsMs, blockedMs } = datesOf(calendar, after.terms.dunning);
  return { attemptMs: attemptsMs[0], blockedMs };
}

function toPayment({ invoiceNumber, amount, currency }: AttemptRow) {
  const sum = `${formatMinor(BigInt(amount), currencyOf(currency))} ${currency}`;
  return { invoiceNumber, sum };
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
  const next = changed === undefined ? "none" : findNext(changed, attempt.invoiceId);
  await tell(deps, tx, attempt, toFailureNotice(toPayment(attempt), { failure, next }));
}

/** Tells that a payment waits for the customer, who has to authenticate it. */
export async function notifyOfAuthentication(
  deps: BillingDeps,
  tx: Tx,
  attempt: AttemptRow,
): Promise<void> {
  await tell(deps, tx, attempt, toAuthenticationNotice(toPayment(attempt)));
}
