import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { LandingContent } from "@turnpike/contract/public-pages";
import { toPlanView } from "#components/plan.view-model.ts";

/** The operator's public plans side by side, as they are sold right now. */
export function PlanList({ plans, meters }: Pick<LandingContent, "plans" | "meters">) {
  const views = plans.map((plan) => toPlanView(plan, meters));
  const start = views.find(({ isDefault }) => isDefault);
  return (
    <>
      <ul className="grid gap-px overflow-hidden rounded-card border border-line bg-line sm:grid-cols-[repeat(auto-fit,minmax(15rem,1fr))]">
        {views.map((plan) => (
          <li key={plan.planId} className="flex flex-col bg-surface p-5">
            <h3 className="font-semibold text-base">{plan.name}</h3>
            <p className="mt-2 flex items-baseline gap-1.5">
              <span className="font-semibold text-xl tabular-nums tracking-tight">
                {plan.price}
              </span>
              <span className="text-ink-muted">
                <Trans>a month</Trans>
              </span>
            </p>
            {plan.description !== "" && <p className="mt-2 text-ink-muted">{plan.description}</p>}
            <ul className="mt-4 space-y-2 border-line border-t pt-4">
              {plan.terms.map(({ text, detail }) => (
                <li key={text} className="tabular-nums">
                  {text}
                  {detail !== undefined && (
                    <span className="block text-ink-muted text-xs">{detail}</span>
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {start !== undefined && (
        <p className="mt-3 text-ink-muted">
          <Trans>
            Everyone starts on {start.name}
            {start.isFree ? t`, without a payment method.` : "."}
          </Trans>
        </p>
      )}
    </>
  );
}
