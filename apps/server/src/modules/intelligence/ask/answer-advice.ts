import type { PlanAdvice } from "@turnpike/contract/advice";
import { said } from "@turnpike/domain/text/said";
import { advisePlans } from "../advice/advise-plans.ts";
import type { Said } from "./answer-standing.ts";
import type { AnswerWords } from "./answer-words.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";

function describe(
  { plans, recommended, months, refused, currency }: PlanAdvice,
  { say, money, number }: AnswerWords,
): string {
  const own = plans.find(({ isOwn }) => isOwn);
  const name = own?.name ?? say(said("the plan"));
  const total = money(own?.total ?? "0", currency);
  const before =
    months.length === 1
      ? say("Over the last month {0} comes to {1}, by list prices before tax.", name, total)
      : say(
          "Over the last {0} months {1} comes to {2}, by list prices before tax.",
          number(months.length),
          name,
          total,
        );
  if (recommended === null) {
    return `${before} ${say("No other plan costs less without denying calls.")}`;
  }
  const { planId, reason, saving } = recommended;
  const better = plans.find((plan) => plan.planId === planId)?.name ?? planId;
  const amount = money(saving.replace("-", ""), currency);
  const cost = say(
    saving.startsWith("-")
      ? said("{0} would have cost {1} more")
      : said("{0} would have cost {1} less"),
    better,
    amount,
  );
  if (reason === "cheaper") {
    return `${before} ${say("{0} and denied no call.", cost)}`;
  }
  return refused > 0
    ? `${before} ${say("{0} and denied no call, while this plan's quotas denied {1} calls.", cost, number(refused))}`
    : `${before} ${say("{0} and denied no call, while this plan's quotas would have denied some.", cost)}`;
}

/** Answers which plan fits the usage of the last months. @throws {CannotAnswer} for all tenants. */
export async function answerAdvice(
  deps: AskDeps,
  { context, tenantId, words }: Asker,
): Promise<Said> {
  if (tenantId === null) {
    throw new CannotAnswer("Plans are compared for one tenant: open it and ask there.");
  }
  const advice = await advisePlans(deps, context, { tenantId });
  const { plans, months, currency } = advice;
  const [first, last] = [months[0], months.at(-1)];
  if (first === undefined || last === undefined) {
    return {
      answer: null,
      assumed: [],
      sentence: words.say("Plans are compared once a calendar month of usage is over."),
    };
  }
  const measure = (name: string, title: string) => ({
    name,
    title,
    unit: "money" as const,
    unitName: currency,
  });
  return {
    assumed: [said("closed months"), said("list prices before coupons, credit, add-ons and tax")],
    sentence: describe(advice, words),
    answer: {
      measures: [measure("amount", said("Total")), measure("saving", said("Saving"))],
      dimensions: ["plan"],
      from: first.from,
      to: last.to,
      grain: null,
      rows: plans.map(({ planId, total, saving }) => ({
        time: null,
        group: { plan: planId },
        values: { amount: total, saving },
        before: null,
      })),
      totals: null,
      totalsBefore: null,
      names: Object.fromEntries(plans.map(({ planId, name }) => [planId, name])),
      truncated: false,
      usage: null,
    },
  };
}
