import type { RunningAccount } from "../account/account.ts";
import { billLateUsage } from "../account/bill-late-usage.ts";
import { runningDraw, sumUsage } from "./prepaid.ts";
import type { Spend } from "./spend.ts";

/** What usage of a prepaid plan that is not invoiced has drawn on credit, as a spend: its fees are what waits, and late usage. */
export function drawOf(account: RunningAccount, atMs: number): Spend {
  const draw = runningDraw(account);
  return account.late.length === 0
    ? draw
    : { ...draw, fees: draw.fees + sumUsage(billLateUsage(account, atMs).lines) };
}
