import type { CreditEntry } from "@turnpike/contract/credits";
import { toScaled } from "@turnpike/domain/money/decimal";
import { toPlural } from "@turnpike/domain/text/to-plural";
import { formatUnits } from "#components/billing/invoice-line.view-model.ts";
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

/** When notices go out, in one sentence. */
export function describeAlerts({ alerts, currency }: Pick<Credits, "alerts" | "currency">): string {
  const shares = alerts.shares.map((share) => `${String(share)}%`);
  const last = shares.pop();
  const ofShares =
    last === undefined
      ? []
      : [`${shares.length === 0 ? last : `${shares.join(", ")} and ${last}`}`];
  const sum = alerts.below === null ? [] : [`less than ${formatMoney(alerts.below, currency)}`];
  const at = [...ofShares, ...sum].join(", and at ");
  return at === "" ? "No notices go out." : `Notices go out at ${at} of it.`;
}

/** What is left now on a prepaid plan, as the card shows it. */
export type DrawView = {
  left: string;
  /** From 0 to 1, of all credit that may be used. */
  share: number;
  drawn: string;
  isEmpty: boolean;
  /** What stops, or what still fits. */
  says: string;
};

/** Meters that still fit, named by what the operator calls one unit. */
function describeUnits(
  meters: NonNullable<Credits["draw"]>["meters"],
  unitOf: (meterId: string) => string,
): string {
  return meters
    .map(({ meter, unitsLeft }) => {
      const unit = unitOf(meter);
      const count = toScaled(unitsLeft);
      // More than anyone uses: what costs nothing yet.
      return count >= UNLIMITED ? `any number of ${toPlural(unit)}` : formatUnits(unitsLeft, unit);
    })
    .join(" or ");
}

const UNLIMITED = toScaled("1000000000000");

/** What calls have drawn on credit. `undefined` unless the plan is prepaid. */
export function toDrawView(
  { draw, currency }: Credits,
  unitOf: (meterId: string) => string,
): DrawView | undefined {
  if (draw === null) {
    return;
  }
  const [left, drawn] = [toScaled(draw.left), toScaled(draw.drawn)];
  const whole = left + drawn;
  const stopped = draw.meters.filter(({ unitsLeft }) => unitsLeft === "0");
  const units = describeUnits(draw.meters, unitOf);
  const isAll = stopped.length === draw.meters.length;
  return {
    left: formatMoney(draw.left, currency),
    share: whole === 0n ? 0 : Number((left * 1_000n) / whole) / 1_000,
    drawn: `${formatMoney(draw.drawn, currency)} drawn since the last invoice, with tax`,
    isEmpty: draw.isEmpty,
    says: draw.isEmpty
      ? `${isAll ? "Calls that cost something" : `Calls of ${stopped.map(({ meter }) => meter).join(", ")}`} are refused until credit is added. They pass again as soon as it is paid.`
      : `Calls draw on it as they happen. ${units === "" ? "" : `Enough for ${units}. `}At zero, calls that cost something are refused until credit is added.`,
  };
}
