import type { Account } from "../account/account.ts";
import { issueInvoice } from "../account/issue-invoice.ts";
import type { Line } from "../rating/line.ts";

/** Invoices lines now, together with those that waited, or lets them wait for the next invoice. */
export function settle(
  account: Account,
  lines: readonly Line[],
  { atMs, waits }: { atMs: number; waits: boolean },
): Account {
  return waits
    ? { ...account, waiting: [...account.waiting, ...lines] }
    : issueInvoice(account, lines, atMs);
}
