import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Skeleton } from "@turnpike/ui/skeleton";
import Rocket from "lucide-react/icons/rocket";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { TenantGate } from "#components/tenant-gate.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { progressQuery, STEP_IDS, type StepId } from "#platform/quickstart-progress.ts";
import { catalogQuery } from "#platform/shared-queries.ts";
import { ArrivalStep } from "./arrival-step.tsx";
import { CallStep } from "./call-step.tsx";
import { KeyStep } from "./key-step.tsx";
import { NextStep } from "./next-step.tsx";
import { quickstartQueries } from "./quickstart.queries.ts";
import { type Step, toSteps } from "./quickstart.view-model.ts";
import { ReferenceCard } from "./reference-card.tsx";
import { StepFrame } from "./step-frame.tsx";
import { useRememberSteps } from "./use-remember-steps.ts";

/** `/quickstart`: the way to a first call, in steps that complete by themselves. */
export function QuickstartPage() {
  return (
    <Page
      title={t`Quickstart`}
      purpose={t`Five steps to your first call. Steps complete automatically.`}
    >
      <TenantGate>
        {(tenant) =>
          tenant.isVisited === true ? (
            <EmptyState
              icon={<Rocket />}
              title={t`The quickstart is for the members of ${tenant.name}`}
            >
              <Trans>It creates a key and tracks their progress. Overview shows the results.</Trans>
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
  tenant: t`Create a tenant`,
  key: t`Create an API key`,
  call: t`Make the first call`,
  arrival: t`See it arrive`,
  next: t`Choose a plan or invite a teammate`,
};

function Steps({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const { tenantId } = tenant;
  const [shownKey, setShownKey] = useState<string>();
  const progress = useQuery(progressQuery(api, tenantId));
  const key = useQuery(quickstartQueries.newestKey(api, tenantId));
  const calls = useQuery(quickstartQueries.firstCalls(api, tenantId));
  const members = useQuery(quickstartQueries.members(api, tenantId));
  const catalog = useQuery(catalogQuery(api));
  const start = catalog.data?.plans.find((plan) => plan.isDefault);
  const remembered = progress.data?.finished ?? [];
  const steps = toSteps(
    {
      hasTenant: true,
      hasKey: key.data === undefined ? undefined : key.data !== null,
      calls: calls.data?.found,
      hasTeammate: members.data === undefined ? undefined : members.data > 1,
      hasChosenPlan: start === undefined ? undefined : start.planId !== tenant.planId,
    },
    remembered,
  );
  useRememberSteps(tenantId, steps, progress.data);
  // Once shown, the steps stay: one of them may hold a key that is shown only once.
  const [isReady, setIsReady] = useState(false);
  if (!isReady && !progress.isPending && !key.isPending && !calls.isPending) {
    setIsReady(true);
  }

  const unknown = [members, catalog].find((query) => query.isError && query.data === undefined);

  function renderBody(step: Step) {
    switch (step.id) {
      case "tenant":
        return (
          <p className="text-ink-muted">
            <Trans>You are working in {tenant.name}.</Trans>
          </p>
        );
      case "key":
        return (
          <KeyStep
            tenant={tenant}
            state={step.state}
            newest={key}
            shownKey={shownKey}
            onCreated={setShownKey}
          />
        );
      case "call":
        return <CallStep state={step.state} shownKey={shownKey} />;
      case "arrival":
        return <ArrivalStep state={step.state} calls={calls} />;
      case "next":
        return (
          <>
            {step.state !== "finished" && unknown !== undefined && (
              <FailureNotice
                what={t`The state of this step could not be checked.`}
                cause={unknown.error}
                onRetry={() => void unknown.refetch()}
              />
            )}
            <NextStep tenant={tenant} state={step.state} />
          </>
        );
      default:
        return step.id satisfies never;
    }
  }

  if (!isReady) {
    return <LoadingSteps />;
  }
  const finished = steps.filter(({ state }) => state === "finished").length;
  const isCounted = ![progress, key, calls, members, catalog].some(
    (query) => query.isError && query.data === undefined,
  );
  return (
    <>
      {progress.isError && progress.data === undefined && (
        <div className="mb-4 max-w-3xl">
          <FailureNotice
            what={t`Steps finished earlier could not be loaded.`}
            cause={progress.error}
            onRetry={() => void progress.refetch()}
          />
        </div>
      )}
      <p role="status" className="mb-4 text-ink-muted text-sm tabular-nums">
        <Trans>
          {isCounted ? "" : t`At least `}
          {finished} of {steps.length} steps finished
        </Trans>
      </p>
      <ol className="max-w-3xl">
        {steps.map((step, index) => (
          <StepFrame key={step.id} number={index + 1} title={TITLES[step.id]} state={step.state}>
            {renderBody(step)}
          </StepFrame>
        ))}
      </ol>
      <ReferenceCard />
    </>
  );
}

/** The shape of the steps while their state loads. */
function LoadingSteps() {
  return (
    <div role="status" aria-label={t`Loading the steps`} className="max-w-3xl">
      <Skeleton className="mb-4 h-5 w-40" />
      {STEP_IDS.map((id) => (
        <div key={id} className="flex gap-4 pb-8">
          <Skeleton className="size-8 shrink-0" />
          <div className="grow space-y-3 pt-1">
            <Skeleton className="h-6 w-56 max-w-full" />
            <Skeleton className="h-9 w-full" />
          </div>
        </div>
      ))}
    </div>
  );
}
