import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { ButtonLink } from "@turnpike/ui/button-link";
import { Card } from "@turnpike/ui/card";
import { CodeBlock } from "@turnpike/ui/code-block";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Skeleton } from "@turnpike/ui/skeleton";
import Check from "lucide-react/icons/check";
import { type ReactNode, useState } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { LateCreateTenantDialog } from "#components/late-create-tenant-dialog.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { catalogQuery } from "#platform/shared-queries.ts";
import { instanceQueries } from "../../health/instance.queries.ts";
import { homeQueries } from "./home.queries.ts";
import { type SetupStep, type SetupStepId, toSetupSteps } from "./setup.view-model.ts";

const TITLES: Readonly<Record<SetupStepId, string>> = {
  connect: t`Connect your API`,
  brand: t`Name and mark`,
  plans: t`Set your plans and prices`,
  customer: t`Welcome the first customer`,
  call: t`See the first call`,
};

const UPSTREAM = `upstreams:
  - name: api
    url: http://127.0.0.1:8080
    testUrl: same # where calls with test keys go`;

const BRAND = `brand:
  name: Acme Maps
  mark: mark.svg`;

/** The way to the first paid call, in steps that complete by themselves. Hidden once all are done. */
export function SetupCard() {
  const { api, config } = usePlatform();
  const readiness = useQuery(instanceQueries.readiness()).data;
  const upstreams = readiness?.parts.find(({ name }) => name === "upstreams");
  const plans = useQuery(catalogQuery(api)).data?.plans;
  const checks = useQuery(homeQueries.checks(api));
  const isOk = (id: string) =>
    checks.data === undefined
      ? // What cannot be checked is not done.
        checks.isError
        ? false
        : undefined
      : checks.data.checks.some((check) => check.id === id && check.state === "ok");
  const arePlansOwn = isOk("plans");
  const steps = toSetupSteps({
    isDemo: config.gateway.isDemo,
    doUpstreamsAnswer: readiness === undefined ? undefined : upstreams?.status === "ok",
    hasBrand: isOk("brand"),
    hasOwnPrices:
      plans === undefined || arePlansOwn === undefined
        ? undefined
        : arePlansOwn && plans.some(({ pricePerMonth }) => Number(pricePerMonth) > 0),
    hasTenants: useQuery(homeQueries.hasTenants(api)).data,
    hasCalls: useQuery(homeQueries.hasCalls(api)).data,
  });
  if (steps === undefined && config.gateway.isDemo) {
    // The first step is open for sure, so the card keeps its room.
    return <LoadingSetup />;
  }
  if (steps === undefined || steps.every(({ isDone }) => isDone)) {
    return null;
  }
  const done = steps.filter(({ isDone }) => isDone).length;
  const current = steps.find(({ isDone }) => !isDone)?.id;
  return (
    <Card
      title={t`Set up your installation`}
      description={t`Steps complete by themselves.`}
      isCall
      aside={
        <p role="status" className="text-ink-muted text-sm tabular-nums">
          <Trans>
            {done} of {steps.length} done
          </Trans>
        </p>
      }
    >
      <ol className="divide-y divide-line border-line border-t">
        {steps.map((step, index) => (
          <StepRow key={step.id} step={step} number={index + 1} isCurrent={step.id === current}>
            <StepBody
              id={step.id}
              trouble={upstreams?.detail}
              configFile={checks.data?.configFile}
              plansCheck={checks.data?.checks.find(({ id }) => id === "plans")}
            />
          </StepRow>
        ))}
      </ol>
    </Card>
  );
}

function LoadingSetup() {
  return (
    <div role="status" aria-label={t`Loading the setup`}>
      <Skeleton className="h-[68rem] rounded-card sm:h-[33rem]" />
    </div>
  );
}

type StepRowProps = { step: SetupStep; number: number; isCurrent: boolean; children: ReactNode };

function StepRow({ step, number, isCurrent, children }: StepRowProps) {
  return (
    <li aria-current={isCurrent ? "step" : undefined} className="flex gap-3 py-3">
      <span
        aria-hidden="true"
        className={joinClasses(
          "grid size-6 shrink-0 place-items-center rounded-full border font-semibold text-xs tabular-nums",
          step.isDone
            ? "border-transparent bg-ok-soft text-ok"
            : isCurrent
              ? "border-transparent bg-accent text-on-accent"
              : "border-line-control text-ink-muted",
        )}
      >
        {step.isDone ? <Check className="size-3.5" /> : number}
      </span>
      <div className="min-w-0 grow space-y-2">
        <h3 className={joinClasses("font-medium", step.isDone && "text-ink-muted")}>
          {TITLES[step.id]}
          <span className="sr-only">{step.isDone ? t`, done` : t`, open`}</span>
        </h3>
        {!step.isDone && children}
      </div>
    </li>
  );
}

type StepBodyProps = {
  id: SetupStepId;
  trouble: string | undefined;
  /** Absolute path of `turnpike.yaml`. */
  configFile: string | undefined;
  plansCheck: { state: string; seen: string; advice: string | null } | undefined;
};

function StepBody({ id, trouble, configFile, plansCheck }: StepBodyProps) {
  const { config } = usePlatform();
  const [isCreating, setIsCreating] = useState(false);
  const file = configFile ?? "turnpike.yaml";
  switch (id) {
    case "connect":
      return config.gateway.isDemo ? (
        <>
          <p className="text-ink-muted">
            <Trans>
              Calls are answered by a small demo API. Name yours in{" "}
              <code className="[overflow-wrap:anywhere]">{file}</code> and restart;{" "}
              <DocsLink page="configuration#upstreams">all settings of an upstream</DocsLink>.
            </Trans>
          </p>
          <div className="max-w-xl">
            <CodeBlock code={UPSTREAM} subject={t`Your API in turnpike.yaml`} />
          </div>
        </>
      ) : (
        <p className="text-warning">{trouble ?? t`Your API does not answer.`}</p>
      );
    case "brand":
      return (
        <>
          <p className="text-ink-muted">
            <Trans>
              Customers read {config.brand.name} on every page, mail and invoice. Write your name in{" "}
              <code className="[overflow-wrap:anywhere]">{file}</code>, put a small SVG or PNG
              beside it, and restart; <DocsLink page="configuration#brand">all settings</DocsLink>.
            </Trans>
          </p>
          <div className="max-w-xl">
            <CodeBlock code={BRAND} subject={t`Your name and mark in turnpike.yaml`} />
          </div>
        </>
      );
    case "plans":
      return (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="max-w-[60ch] text-ink-muted">
            {plansCheck?.state === "warning" ? (
              <>
                {inLanguage(plansCheck.seen)} {inLanguage(plansCheck.advice ?? "")}
              </>
            ) : (
              <Trans>Plans say what customers may use and what they pay.</Trans>
            )}
          </p>
          <ButtonLink link={<Link to="/plans" search={{ tab: "catalogue" }} />}>
            <Trans>Open plans</Trans>
          </ButtonLink>
        </div>
      );
    case "customer":
      return (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="max-w-[60ch] text-ink-muted">
              <Trans>
                Customers register at{" "}
                <code className="[overflow-wrap:anywhere]">{t`${config.urls.console}/register`}</code>
                . To try it yourself, create a tenant for your own calls.
              </Trans>
            </p>
            <Button onClick={() => setIsCreating(true)}>
              <Trans>Create tenant</Trans>
            </Button>
          </div>
          <LateCreateTenantDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
        </>
      );
    case "call":
      return (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-ink-muted">
            <Trans>The quickstart creates a key and shows the call to make.</Trans>
          </p>
          <ButtonLink link={<Link to="/quickstart" />}>
            <Trans>Open the quickstart</Trans>
          </ButtonLink>
        </div>
      );
    default:
      return id satisfies never;
  }
}
