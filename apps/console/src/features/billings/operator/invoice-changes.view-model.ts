import type { Invoice } from "#platform/billing-queries.ts";
import { isZero } from "#platform/format-money.ts";

type ChangedInvoice = Pick<Invoice, "state" | "paid" | "credited" | "due">;

/** What can be done to an invoice besides crediting it. The API decides; this only hides what it would refuse. */
export function listChanges({ state, paid, credited, due }: ChangedInvoice) {
  const isOwed = state === "open" || state === "uncollectible";
  return {
    /** Only an invoice on which nothing has happened yet. */
    mayVoid: state !== "void" && isZero(paid) && isZero(credited),
    mayWriteOff: state === "open",
    mayPay: isOwed && !isZero(due),
  };
}
