import { said } from "@turnpike/domain/text/said";
import { notifyOperators } from "#modules/tenants/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { keyText } from "../accounts/load-accounts.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { holdRows } from "./held-accounts.store.ts";

/** An account that cannot be closed until the operator has done something: what, as a sentence. */
export type HeldAccount = { key: AccountKey; reason: string };

/** Until a held account is tried again. */
const RETRY_MS = 5 * 60_000;

const WHAT_GOES_ON = said(
  "Usage goes on, and nothing of it is lost. The accounts are tried again every five minutes.",
);

function toNotice(held: readonly HeldAccount[]) {
  const accounts = held.length === 1 ? "1 account waits" : `${String(held.length)} accounts wait`;
  const reasons = [...new Set(held.map(({ reason }) => reason))];
  return {
    kind: "billing.held",
    subject: said("invoices cannot be issued"),
    title: `${accounts} for you before invoices can be issued.`,
    body: [...reasons, "", WHAT_GOES_ON].join("\n"),
  };
}

/**
 * Puts accounts aside that cannot be closed, so that they are tried again later and keep no other from its turn. Operators get one
 * message for those that were not held before, in the log and by mail.
 */
export async function holdAccounts(
  deps: BillingDeps,
  held: readonly HeldAccount[],
  now: Date,
): Promise<void> {
  const retryAt = new Date(now.getTime() + RETRY_MS);
  await deps.transact.asOperator(async (tx) => {
    const fresh = new Set((await holdRows(tx, held, { now, retryAt })).map(keyText));
    const news = held.filter(({ key }) => fresh.has(keyText(key)));
    if (news.length === 0) {
      return;
    }
    const notice = toNotice(news);
    deps.logger.warn({ accounts: news.map(({ key }) => key), reason: notice.body }, notice.title);
    if (deps.mail !== undefined) {
      await notifyOperators({ ...deps, ...deps.mail }, tx, notice);
    }
  });
}
