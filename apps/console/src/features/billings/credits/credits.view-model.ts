import { t } from "@lingui/core/macro";
import type { CreditEntry } from "@turnpike/contract/credits";
import { toScaled } from "@turnpike/domain/money/decimal";
import { formatUnits } from "#components/billing/invoice-line.view-model.ts";
import { listPercentages } from "#platform/format-measure.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { nameUnits } from "#platform/unit-words.ts";
import type { CreditGrant, Credits } from "./credits.queries.ts";

/** What a kind of credit does, as the customer reads it. */
export function nameKind({ kind, isBought }: Pick<CreditGrant, "kind" | "isBought">): string {
  if (isBought) {
    return t`Bought`;
  }
  return kind === "prepaid" ? t`Prepaid` : t`Promotional`;
}

/** One grant in a sentence: when it may be used, and until when. */
export function describeGrant({ state, effectiveAt, expiresAt }: CreditGrant): string {
  const until = expiresAt === null ? t`does not expire` : t`expires ${formatDate(expiresAt)}`;
  switch (state) {
    case "usable":
      return until.charAt(0).toUpperCase() + until.slice(1);
    case "upcoming":
      return t`From ${formatDate(effectiveAt)}, ${until}`;
    case "used":
      return t`Used up`;
    case "expired":
      return t`Expired ${expiresAt === null ? "" : formatDate(expiresAt)}`.trim();
  }
}

/** Grants of which something is left, in the order in which they are used. */
export function listLiveGrants({ grants }: Credits): CreditGrant[] {
  return grants.filter(({ left, state }) => state !== "expired" && !isZero(left));
}

const WHAT: Readonly<Record<CreditEntry["kind"], string>> = {
  granted: t`Granted`,
  burned: t`Used`,
  returned: t`Given back`,
  expired: t`Expired`,
  revoked: t`Taken back`,
};

/** What happened, with the invoice that it happened on. */
export function describeEntry({ kind, invoiceNumber, reason }: CreditEntry): string {
  switch (kind) {
    case "burned":
      return t`${WHAT.burned} by ${invoiceNumber ?? t`an invoice`}`;
    case "returned":
      return t`${WHAT.returned}: ${invoiceNumber ?? t`its invoice`} is void`;
    case "granted":
      return invoiceNumber === null
        ? `${WHAT.granted}: ${reason}`
        : t`Bought with ${invoiceNumber}`;
    case "expired":
      return WHAT.expired;
    case "revoked":
      return `${WHAT.revoked}: ${reason}`;
  }
}

/** What automatic top-up does, in one sentence. */
export function describeAutomatic({ automatic, currency }: Credits): string {
  if (automatic === null) {
    return t`Credit is bought only when you ask for it.`;
  }
  const money = (amount: string) => formatMoney(amount, currency);
  return t`Below ${money(automatic.threshold)}, ${money(automatic.amount)} is bought by itself: ${money(automatic.boughtThisMonth)} of at most ${money(automatic.monthLimit)} this month.`;
}

/** When notices go out, in one sentence. */
export function describeAlerts({ alerts, currency }: Pick<Credits, "alerts" | "currency">): string {
  const ofShares = alerts.shares.length === 0 ? [] : [listPercentages(alerts.shares)];
  const sum = alerts.below === null ? [] : [t`less than ${formatMoney(alerts.below, currency)}`];
  const at = [...ofShares, ...sum].join(t`, and at `);
  return at === "" ? t`No notices go out.` : t`Notices go out at ${at} of it.`;
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
      return count >= UNLIMITED
        ? t`any number of ${nameUnits(unit)}`
        : formatUnits(unitsLeft, unit);
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
    drawn: t`${formatMoney(draw.drawn, currency)} drawn since the last invoice, with tax`,
    isEmpty: draw.isEmpty,
    says: draw.isEmpty
      ? t`${isAll ? t`Calls that cost something` : t`Calls of ${stopped.map(({ meter }) => meter).join(", ")}`} are denied until credit is added. They pass again as soon as it is paid.`
      : t`Calls draw on it as they happen. ${units === "" ? "" : t`Enough for ${units}. `}At zero, calls that cost something are denied until credit is added.`,
  };
}
