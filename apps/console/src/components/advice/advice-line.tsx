import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { planAdviceQuery } from "#platform/advice-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { describeAdvice } from "./advice.view-model.ts";

/** The plan that would have fitted better, in one sentence; nothing while none would. */
export function AdviceLine({ tenantId }: Pick<OwnTenant, "tenantId">) {
  const { data } = useQuery(planAdviceQuery(usePlatform().api, tenantId));
  const sentence = data && describeAdvice(data);
  return sentence === undefined ? null : (
    <p className="mt-4 max-w-[72ch] tabular-nums">
      {sentence}{" "}
      <Link to="/ai-intelligence" className="font-medium underline underline-offset-4">
        <Trans>Month by month</Trans>
      </Link>
    </p>
  );
}
