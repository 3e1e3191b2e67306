import type { CreditEntry } from "@turnpike/contract/credits";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import type { CreditGrant, Credits } from "./credits.queries.ts";

/** What a kind of credit does, as the customer reads it. */
export function nameKind({ kind, isBought }: Pick<CreditGrant, "kind" | "isBought">): string {
  if (isBought) {
    return "Bought";
  }
  return kind === "prepaid" ? "Prepaid" : "Promotional";
}

/** One grant in a sentence: when it may be used, and until when. */
export function describeGrant({ state, effectiveAt, expiresAt }: CreditGrant): string {
  const until = expiresAt === null ? "does not expire" : `expires ${formatDate(expiresAt)}`;
  switch (state) {
    case "usable":
      return until.charAt(0).toUpperCase() + until.slice(1);
    case "upcoming":
      return `From ${formatDate(effectiveAt)}, ${until}`;
    case "used":
      return "Used up";
    case "expired":
      return `Expired ${expiresAt === null ? "" : formatDate(expiresAt)}`.trim();
  }
}

/** Grants of which something is left, in the order in which they are used. */
export function listLiveGrants({ grants }: Credits): CreditGrant[] {
  return grants.filter(({ left, state }) => state !== "expired" && !isZero(left));
}

const WHAT: Readonly<Record<CreditEntry["kind"], string>> = {
  granted: "Granted",
  burned: "Used",
  returned: "Given back",
  expired: "Expired",
  revoked: "Taken back",
};

/** What happened, with the invoice that it happened on. */
export function describeEntry({ kind, invoiceNumber, reason }: CreditEntry): string {
  switch (kind) {
    case "burned":
      return `${WHAT.burned} by ${invoiceNumber ?? "an invoice"}`;
    case "returned":
      return `${WHAT.returned}: ${invoiceNumber ?? "its invoice"} is void`;
    case "granted":
      return invoiceNumber === null ? `${WHAT.granted}: ${reason}` : `Bought with ${invoiceNumber}`;
    case "expired":
      return WHAT.expired;
    case "revoked":
      return `${WHAT.revoked}: ${reason}`;
  }
}

/** What automatic top-up does, in one sentence. */
export function describeAutomatic({ automatic, currency }: Credits): string {
  if (automatic === null) {
    return "Credit is bought only when you ask for it.";
  }
  const money = (amount: string) => formatMoney(amount, currency);
  return `Below ${money(automatic.threshold)}, ${money(automatic.amount)} is bought by itself: ${money(automatic.boughtThisMonth)} of at most ${money(automatic.monthLimit)} this month.`;
}
