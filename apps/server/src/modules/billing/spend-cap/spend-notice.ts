import { formatMinor } from "@turnpike/domain/money/currency";
import type { SpendState } from "#modules/metering/index.ts";
import type { MemberNotice } from "#modules/tenants/index.ts";
import { currencyOf } from "../invoices/to-invoice.ts";

/** The share of a cap that is all of it, in percent. */
export const CAP_SHARE_WHOLE = 100;
const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** Words of the notice that a share of the cap is used: all of it at 100. */
export function toSpendNotice(
  share: number,
  state: Pick<SpendState, "spent" | "cap" | "currency" | "periodTo">,
  now: Date,
): Pick<MemberNotice, "subject" | "title" | "body"> {
  // A period goes on past its end while its invoice waits for the operator.
  const isOver = state.periodTo <= now;
  const currency = currencyOf(state.currency);
  const money = (minor: bigint) => `${formatMinor(minor, currency)} ${currency.code}`;
  const [used, whole] = [money(state.spent), money(state.cap)];
  const end = DAY.format(state.periodTo);
  const spent = isOver
    ? `${used} of ${whole} are spent in the period that ended on ${end} (UTC).`
    : `${used} of ${whole} are spent in the period that ends on ${end} (UTC).`;
  const until = isOver
    ? "Calls that do not fit are refused until its invoice is issued or the cap is raised. Raising it counts at once."
    : "Calls that do not fit are refused until the period ends or the cap is raised. Raising it counts at once.";
  return share === CAP_SHARE_WHOLE
    ? {
        subject: "Your spend cap is reached",
        title: "The spend cap is reached",
        body: `${spent}\n${until}`,
      }
    : {
        subject: `${String(share)}% of your spend cap is used`,
        title: `${String(share)}% of the spend cap is used`,
        body: spent,
      };
}
