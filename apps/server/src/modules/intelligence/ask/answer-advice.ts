import type { PlanAdvice } from "@turnpike/contract/advice";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { advisePlans } from "../advice/advise-plans.ts";
import type { Said } from "./answer-standing.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";

function describe({ plans, recommended, months, refused, currency }: PlanAdvice): string {
  const own = plans.find(({ isOwn }) => isOwn);
  const count = months.length === 1 ? "the last month" : `the last ${String(months.length)} months`;
  const before = `Over ${count} ${own?.name ?? "the plan"} comes to ${toGrouped(own?.total ?? "0")} ${currency}, by list prices before tax.`;
  if (recommended === null) {
    return `${before} No other plan costs less without denying calls.`;
  }
  const { planId, reason, saving } = recommended;
  const better = plans.find((plan) => plan.planId === planId);
  const name = better?.name ?? planId;
  const change = saving.startsWith("-") ? "more" : "less";
  const amount = toGrouped(saving.replace("-", ""));
  const cost = `${name} would have cost ${amount} ${currency} ${change}`;
  return reason === "cheaper"
    ? `${before} ${cost} and denied no call.`
    : `${before} ${cost} and denied no call, while this plan's quotas ${refused > 0 ? `denied ${toGrouped(refused)} calls` : "would have denied some"}.`;
}

/** Answers which plan fits the usage of the last months. @throws {CannotAnswer} for all tenants. */
export async function answerAdvice(deps: AskDeps, { context, tenantId }: Asker): Promise<Said> {
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
      sentence: "Plans are compared once a calendar month of usage is over.",
    };
  }
  const measure = (name: string, title: string) => ({
    name,
    title,
    unit: "money" as const,
    unitName: currency,
  });
  return {
    assumed: ["closed months", "list prices before coupons, credit, add-ons and tax"],
    sentence: describe(advice),
    answer: {
      measures: [measure("amount", "Total"), measure("saving", "Saving")],
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
