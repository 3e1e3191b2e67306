import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import {
  describeAdvice,
  describeMonths,
  describeQuotaUse,
} from "#components/advice/advice.view-model.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import { type PlanAdvice, planAdviceQuery } from "#platform/advice-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import { TriedPlans } from "./tried-plans.tsx";

/** What the last months would have cost on every other plan, and what was left unused. */
export function AdviceCard({ tenant: { tenantId } }: { tenant: OwnTenant }) {
  const advice = useQuery(planAdviceQuery(usePlatform().api, tenantId));
  const { data } = advice;
  return (
    <Card
      title={t`Which plan fits`}
      description={t`Your real usage, billed by every plan. List prices, before coupons, credit, add-ons and tax.`}
    >
      {data === undefined ? (
        advice.isError ? (
          <FailureNotice
            what={t`The plans could not be compared.`}
            cause={advice.error}
            onRetry={() => void advice.refetch()}
          />
        ) : (
          <Skeleton className="h-32 w-full" />
        )
      ) : data.state === "not_enough_history" ? (
        <p className="text-ink-muted">
          <Trans>Plans are compared once a calendar month of usage is over.</Trans>
        </p>
      ) : (
        <Advice advice={data} />
      )}
    </Card>
  );
}

function Advice({ advice }: { advice: PlanAdvice }) {
  const { quotas, spendCap, currency } = advice;
  const hints = quotas.flatMap((quota) => describeQuotaUse(quota) ?? []);
  return (
    <div className="space-y-4">
      <p className="tabular-nums">
        {describeAdvice(advice) ??
          t`Your plan was the best choice for ${describeMonths(advice)}: no other costs less without denying calls.`}{" "}
        {advice.recommended !== null && (
          <Link to="/plans" className="font-medium underline underline-offset-4">
            <Trans>Compare and change</Trans>
          </Link>
        )}
      </p>
      <TriedPlans advice={advice} />
      {(hints.length > 0 || spendCap !== null) && (
        <ul className="list-disc space-y-1 pl-5 text-sm">
          {hints.map((hint) => (
            <li key={hint}>{hint}</li>
          ))}
          {spendCap !== null && (
            <li>
              <Trans>
                A spend cap of {formatMoney(spendCap, currency)} leaves room for half as much again
                as in the dearest month.
              </Trans>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
