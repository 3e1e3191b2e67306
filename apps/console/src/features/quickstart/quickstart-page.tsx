import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "@turnpike/ui/empty-state";
import Rocket from "lucide-react/icons/rocket";
import { useState } from "react";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { progressQuery, type StepId } from "#platform/quickstart-progress.ts";
import { catalogQuery } from "#platform/shared-queries.ts";
import { ArrivalStep } from "./arrival-step.tsx";
import { CallStep } from "./call-step.tsx";
import { KeyStep } from "./key-step.tsx";
import { NextStep } from "./next-step.tsx";
import { quickstartQueries } from "./quickstart.queries.ts";
import { type Step, toSteps } from "./quickstart.view-model.ts";
import { StepFrame } from "./step-frame.tsx";
import { useRememberSteps } from "./use-remember-steps.ts";

/** `/quickstart`: from nothing to a call that is seen, in steps that check themselves. */
export function QuickstartPage() {
  return (
    <Page
      title="Quickstart"
      purpose="Five steps from nothing to a paid API. Each one notices by itself when it is done."
    >
      <TenantGate>
        {(tenant) =>
          tenant.isVisited === true ? (
            <EmptyState
              icon={<Rocket />}
              title={`The quickstart is for the members of ${tenant.name}`}
            >
              It makes a key and remembers what is finished. What has come of it is in Overview.
            </EmptyState>
          ) : (
            <Steps key={tenant.tenantId} tenant={tenant} />
          )
        }
      </TenantGate>
    </Page>
  );
}

const TITLES: Readonly<Record<StepId, string>> = {
  tenant: "Create a tenant",
  key: "Create an API key",
  call: "Make the first call",
  arrival: "See it arrive",
  next: "Choose a plan or invite a teammate",
};

function Steps({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const { tenantId } = tenant;
  const [shownKey, setShownKey] = useState<string>();
  const progress = useQuery(progressQuery(api, tenantId));
  const key = useQuery(quickstartQueries.newestKey(api, tenantId));
  const [isWatching, setIsWatching] = useState(true);
  const calls = useQuery(quickstartQueries.firstCalls(api, tenantId, isWatching));
  if (isWatching && (calls.data?.total ?? 0) > 0) {
    setIsWatching(false);
  }
  const members = useQuery(quickstartQueries.members(api, tenantId));
  const catalog = useQuery(catalogQuery(api));
  const start = catalog.data?.plans.find((plan) => plan.isDefault);
  const remembered = progress.data?.finished ?? [];
  const steps = toSteps(
    {
      hasTenant: true,
      hasKey: key.data === undefined ? undefined : key.data !== null,
      calls: calls.data?.total,
      hasTeammate: members.data === undefined ? undefined : members.data > 1,
      hasChosenPlan: start === undefined ? undefined : start.planId !== tenant.planId,
    },
    remembered,
  );
  useRememberSteps(tenantId, steps, progress.data);

  function renderBody(step: Step) {
    switch (step.id) {
      case "tenant":
        return <p className="text-ink-muted">You are working in {tenant.name}.</p>;
      case "key":
        return (
          <KeyStep
            tenant={tenant}
            state={step.state}
            existing={key.data ?? undefined}
            shownKey={shownKey}
            onCreated={setShownKey}
          />
        );
      case "call":
        return <CallStep state={step.state} shownKey={shownKey} />;
      case "arrival":
        return <ArrivalStep state={step.state} calls={calls} />;
      case "next":
        return <NextStep tenant={tenant} state={step.state} />;
      default:
        return step.id satisfies never;
    }
  }

  const finished = steps.filter(({ state }) => state === "finished").length;
  return (
    <>
      <p role="status" className="mb-4 text-ink-muted text-sm tabular-nums">
        {finished} of {steps.length} steps finished
      </p>
      <ol className="max-w-3xl">
        {steps.map((step, index) => (
          <StepFrame key={step.id} number={index + 1} title={TITLES[step.id]} state={step.state}>
            {renderBody(step)}
          </StepFrame>
        ))}
      </ol>
    </>
  );
}
