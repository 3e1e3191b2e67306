import { toScaled } from "@turnpike/domain/money/decimal";
import { said } from "@turnpike/domain/text/said";
import { getCredits } from "#modules/billing/index.ts";
import { forecastExhaustion } from "../forecasts/forecast-exhaustion.ts";
import { dateOf, describeRunOut, type Said, tenantOf } from "./answer-standing.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { toMoneyText } from "./to-money-text.ts";

const KINDS = { promotional: said("promotional"), prepaid: said("prepaid") } as const;

/** Answers what credit is left, which expires next and when it runs out. @throws {CannotAnswer} for all tenants. */
export async function answerCredit(deps: AskDeps, asker: Asker): Promise<Said> {
  const { context, timeZone, words } = asker;
  const { say } = words;
  const tenantId = tenantOf(asker);
  const credits = await getCredits(deps, context, { tenantId, environment: "live" });
  const { currency, promotional, prepaid, nextExpiry, draw } = credits;
  const grants = credits.grants.filter(({ state }) => state === "usable" || state === "upcoming");
  const left = toMoneyText(toScaled(promotional) + toScaled(prepaid), currency);
  if (grants.length === 0) {
    return { answer: null, assumed: [], sentence: say("There is no credit left.") };
  }
  const money = (amount: string) => words.money(amount, currency);
  const date = (instant: string) => dateOf(words, instant, timeZone);
  const [first = "", second] = [
    ...(toScaled(promotional) === 0n
      ? []
      : [say(said("{0} promotional, which lowers an invoice"), money(promotional))]),
    ...(toScaled(prepaid) === 0n ? [] : [say(said("{0} prepaid"), money(prepaid))]),
  ];
  const kinds = second === undefined ? first : say(said("{0}, and {1}"), first, second);
  const standing =
    draw === null
      ? say("{0} of credit can be used now: {1}.", money(left), kinds)
      : say(
          "{0} of credit is left: usage that is not invoiced yet has drawn {1} of {2}.",
          money(draw.left),
          money(draw.drawn),
          kinds,
        );
  const expiry =
    nextExpiry === null
      ? say("None of it expires.")
      : say("{0} expires next, on {1}.", money(nextExpiry.amount), date(nextExpiry.at));
  const { items, asOf } = await forecastExhaustion(deps, context, { tenantId });
  const running = items
    .filter(({ kind }) => kind === "credit")
    .map((item) => describeRunOut(item, asker));
  return {
    assumed: [said("credit that live usage may draw on")],
    sentence: [standing, expiry, ...running].join(" "),
    answer: {
      measures: ["left", "granted"].map((name) => ({
        name,
        title: name === "left" ? said("Left") : said("Granted"),
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
          credit: [say(KINDS[kind]), ...(reason === "" ? [] : [reason])].join(": "),
          "usable from": date(effectiveAt),
          expires: expiresAt === null ? say(said("never")) : date(expiresAt),
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
