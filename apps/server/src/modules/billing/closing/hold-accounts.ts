import { notifyOperators } from "#modules/tenants/index.ts";
import type { AccountKey } from "../accounts/accounts.store.ts";
import { keyText } from "../accounts/load-accounts.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { holdRows } from "./held-accounts.store.ts";
import { toHeldNotice } from "./held-notice.ts";

/** An account that cannot be closed until the operator has done something: what, as a sentence. */
export type HeldAccount = { key: AccountKey; reason: string };

/** Until a held account is tried again. */
const RETRY_MS = 5 * 60_000;

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
    const notice = toHeldNotice(news);
    deps.logger.warn({ accounts: news.map(({ key }) => key), reason: notice.body }, notice.title);
    if (deps.mail !== undefined) {
      await notifyOperators({ ...deps, ...deps.mail }, tx, notice);
    }
  });
}
