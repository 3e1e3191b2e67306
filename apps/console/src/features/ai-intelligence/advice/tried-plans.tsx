import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { LANGUAGE } from "@turnpike/ui/language";
import { type ReactNode, useState } from "react";
import { describeBlocked, describeDifference } from "#components/advice/advice.view-model.ts";
import type { PlanAdvice, TriedPlan } from "#platform/advice-queries.ts";
import { formatMoney } from "#platform/format-money.ts";

const MONTH = new Intl.DateTimeFormat(LANGUAGE, {
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** Each plan with its sum, and its months on demand. */
export function TriedPlans({ advice }: { advice: PlanAdvice }) {
  const [isOpen, setIsOpen] = useState(false);
  const { plans, months } = advice;
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what is wider than the screen. */}
      <section aria-label={t`Plans compared`} tabIndex={0} className="overflow-x-auto">
        <table
          aria-label={t`What each plan would have cost`}
          className="w-full border-collapse text-left tabular-nums"
        >
          <thead className="border-line border-b text-ink-muted text-xs">
            <tr>
              <Heading>
                <Trans>Plan</Trans>
              </Heading>
              {isOpen &&
                months.map(({ from }) => (
                  <Heading key={from} isNumber>
                    {MONTH.format(Date.parse(from))}
                  </Heading>
                ))}
              <Heading isNumber>
                <Trans>Total</Trans>
              </Heading>
              <Heading isNumber>
                <Trans>Against yours</Trans>
              </Heading>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {plans.map((plan) => (
              <Row key={plan.planId} plan={plan} advice={advice} isOpen={isOpen} />
            ))}
          </tbody>
        </table>
      </section>
      {months.length > 1 && (
        <Button
          size="small"
          className="mt-3"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? t`Hide months` : t`Show months`}
        </Button>
      )}
    </div>
  );
}

function Heading({ children, isNumber }: { children: ReactNode; isNumber?: boolean }) {
  return (
    <th
      scope="col"
      className={`whitespace-nowrap py-2 pr-4 font-medium last:pr-0 ${isNumber === true ? "text-right" : ""}`}
    >
      {children}
    </th>
  );
}

type RowProps = { plan: TriedPlan; advice: PlanAdvice; isOpen: boolean };

function Row({ plan, advice: { currency, recommended, months }, isOpen }: RowProps) {
  const blocked = describeBlocked(plan.blocked);
  const money = (amount: string) => formatMoney(amount, currency);
  return (
    <tr className="align-top">
      <th scope="row" className="py-2.5 pr-4 font-normal">
        <span className="font-medium">{plan.name}</span>
        {plan.isOwn && (
          <span className="text-ink-muted">
            {" "}
            <Trans>· yours</Trans>
          </span>
        )}
        {plan.planId === recommended?.planId && (
          <span className="text-ink-muted">
            {" "}
            <Trans>· best</Trans>
          </span>
        )}
        {blocked !== undefined && (
          <span className="block text-warning text-xs">
            <Trans>Would have denied {blocked}.</Trans>
          </span>
        )}
      </th>
      {isOpen &&
        plan.months.map(({ amount }, index) => (
          <td key={months[index]?.from} className="whitespace-nowrap py-2.5 pr-4 text-right">
            {money(amount)}
          </td>
        ))}
      <td className="whitespace-nowrap py-2.5 pr-4 text-right">{money(plan.total)}</td>
      <td className="whitespace-nowrap py-2.5 text-right">
        {plan.isOwn ? "" : describeDifference(plan, currency)}
      </td>
    </tr>
  );
}
