import { toScaled } from "@turnpike/domain/money/decimal";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { getCredits } from "#modules/billing/index.ts";
import { forecastExhaustion } from "../forecasts/forecast-exhaustion.ts";
import { dateOf, describeRunOut, type Said, tenantOf } from "./answer-standing.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { toMoneyText } from "./to-money-text.ts";

/** Answers what credit is left, which expires next and when it runs out. @throws {CannotAnswer} for all tenants. */
export async function answerCredit(deps: AskDeps, asker: Asker): Promise<Said> {
  const { context, timeZone } = asker;
  const tenantId = tenantOf(asker);
  const credits = await getCredits(deps, context, { tenantId, environment: "live" });
  const { currency, promotional, prepaid, nextExpiry, draw } = credits;
  const grants = credits.grants.filter(({ state }) => state === "usable" || state === "upcoming");
  const left = toMoneyText(toScaled(promotional) + toScaled(prepaid), currency);
  if (grants.length === 0) {
    return { answer: null, assumed: [], sentence: "There is no credit left." };
  }
  const money = (amount: string) => `${toGrouped(amount)} ${currency}`;
  const kinds = [
    ...(toScaled(promotional) === 0n
      ? []
      : [`${money(promotional)} promotional, which lowers an invoice`]),
    ...(toScaled(prepaid) === 0n ? [] : [`${money(prepaid)} prepaid`]),
  ].join(", and ");
  const standing =
    draw === null
      ? `${money(left)} of credit can be used now: ${kinds}.`
      : `${money(draw.left)} of credit is left: usage that is not invoiced yet has drawn ${money(draw.drawn)} of ${kinds}.`;
  const expiry =
    nextExpiry === null
      ? "None of it expires."
      : `${money(nextExpiry.amount)} expires next, on ${dateOf(nextExpiry.at, timeZone)}.`;
  const { items, asOf } = await forecastExhaustion(deps, context, { tenantId });
  const running = items
    .filter(({ kind }) => kind === "credit")
    .map((item) => describeRunOut(item, timeZone));
  return {
    assumed: ["credit that live usage may draw on"],
    sentence: [standing, expiry, ...running].join(" "),
    answer: {
      measures: ["left", "granted"].map((name) => ({
        name,
        title: name === "left" ? "Left" : "Granted",
        unit: "money" as const,
        unitName: currency,
      })),
      dimensions: ["credit", "usable from", "expires"],
      from: asOf,
      to: nextExpiry?.at ?? asOf,
      grain: null,
      rows: grants.map(({ kind, reason, effectiveAt, expiresAt, left: rest, granted }) => ({
        time: null,
        group: {
          credit: reason === "" ? kind : `${kind}: ${reason}`,
          "usable from": dateOf(effectiveAt, timeZone),
          expires: expiresAt === null ? "never" : dateOf(expiresAt, timeZone),
        },
        values: { left: rest, granted },
        before: null,
      })),
      totals: null,
      totalsBefore: null,
      names: {},
      truncated: false,
      usage: null,
    },
  };
}
