import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { AgentScope } from "@turnpike/contract/agent-grants";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Checkbox } from "@turnpike/ui/checkbox";
import { SelectField } from "@turnpike/ui/select";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { type OwnTenant, useCurrentTenant } from "#platform/current-tenant.ts";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";
import { nameRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import {
  type ConnectDecision,
  type ConnectRequest,
  connectRequestQuery,
  decideOnRequest,
} from "./connect.queries.ts";
import {
  type ConnectError,
  type ConnectSearch,
  listGivable,
  SCOPE_WORDS,
  toConnectProblem,
} from "./connect.view-model.ts";

/** `/connect` */
export function ConnectPage({ search }: { search: ConnectSearch }) {
  const { request, error } = search;
  return (
    <Page
      title={t`Connect an agent`}
      purpose={t`Lets a program, such as an assistant, ask about one tenant for you.`}
    >
      <div className="max-w-2xl">
        {request === undefined ? <Problem error={error} /> : <Request request={request} />}
      </div>
    </Page>
  );
}

function Problem({ error }: { error: ConnectError | undefined }) {
  const { title, text } = toConnectProblem(error);
  return (
    <Card title={title}>
      <p>{text}</p>
      <p className="mt-3">
        <DocsLink page="agents">
          <Trans>How programs connect</Trans>
        </DocsLink>
      </p>
    </Card>
  );
}

function Request({ request }: { request: string }) {
  const { json } = usePlatform();
  const asked = useQuery(connectRequestQuery(json, request));
  if (asked.isError) {
    const isOver = asked.error instanceof RequestError && asked.error.code === "SIGN_IN_EXPIRED";
    return isOver ? (
      <Problem error="expired" />
    ) : (
      <FailureNotice
        what={t`The request could not be loaded.`}
        cause={asked.error}
        onRetry={() => void asked.refetch()}
      />
    );
  }
  return asked.data === undefined ? (
    <Skeleton className="h-80 w-full rounded-card" />
  ) : (
    <Decision request={request} program={asked.data} />
  );
}

type DecisionProps = { request: string; program: ConnectRequest };

function Decision({ request, program }: DecisionProps) {
  const { json } = usePlatform();
  const { tenants, user } = useVerifiedUser();
  const current = useCurrentTenant();
  const [tenantId, setTenantId] = useState(
    () => tenants.find((tenant) => tenant.tenantId === current?.tenantId)?.tenantId ?? null,
  );
  const [left, setLeft] = useState<ReadonlySet<AgentScope>>(new Set());
  const tenant = tenants.find((each) => each.tenantId === tenantId);
  const givable = listGivable(program.scopes, tenant);
  const scopes = givable.filter((scope) => !left.has(scope));
  const decide = useMutation({
    mutationKey: ["connect", "decide"],
    mutationFn: (decision: ConnectDecision) => decideOnRequest(json, request, decision),
    onSuccess: (redirectTo) => window.location.assign(redirectTo),
  });
  const decideOnce = useSubmitOnce(decide.mutateAsync, "failed");
  if (decide.isSuccess) {
    return <Done name={program.name} isAllowed={decide.variables.decision === "allow"} />;
  }

  function leaveOut(scope: AgentScope, isGiven: boolean): void {
    const next = new Set(left);
    if (isGiven) {
      next.delete(scope);
    } else {
      next.add(scope);
    }
    setLeft(next);
  }

  return (
    <Card title={t`Let ${program.name} in?`} isCall>
      <div className="space-y-5">
        <ProgramFacts program={program} email={user.email} />
        {tenants.length === 0 ? (
          <p>
            <Trans>You belong to no tenant yet, so there is nothing that it could ask about.</Trans>
          </p>
        ) : (
          <TenantChoice tenants={tenants} value={tenantId} onValueChange={setTenantId} />
        )}
        <ScopeList
          asked={program.scopes}
          tenant={tenant}
          givable={givable}
          isGiven={(scope) => scopes.includes(scope)}
          onChange={leaveOut}
        />
        <p className="text-ink-muted">
          <Trans>
            It never does more than your role allows, and it ends with your membership. Disconnect
            it at any time under Tenants → Agents.
          </Trans>
        </p>
        <p role="alert" className="text-danger empty:hidden">
          {decide.isError ? toErrorMessage(decide.error) : undefined}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button
            look="primary"
            disabled={tenant === undefined || scopes.length === 0}
            progress={
              decide.isPending && decide.variables.decision === "allow" ? t`Connecting…` : undefined
            }
            onClick={() =>
              tenant !== undefined &&
              decideOnce({ decision: "allow", tenantId: tenant.tenantId, scopes })
            }
          >
            <Trans>Connect</Trans>
          </Button>
          <Button
            progress={
              decide.isPending && decide.variables.decision === "deny" ? t`Declining…` : undefined
            }
            onClick={() => decideOnce({ decision: "deny" })}
          >
            <Trans>Decline</Trans>
          </Button>
        </div>
      </div>
    </Card>
  );
}

function ProgramFacts({ program, email }: { program: ConnectRequest; email: string | null }) {
  const { name, host, returnsTo } = program;
  return (
    <>
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[max-content_minmax(0,1fr)]">
        <dt className="text-ink-muted">
          <Trans>Calls itself</Trans>
        </dt>
        <dd className="[overflow-wrap:anywhere] max-sm:mb-1.5">
          <Trans>{name}, which no one has verified</Trans>
        </dd>
        <dt className="text-ink-muted">
          <Trans>Described by</Trans>
        </dt>
        <dd className="[overflow-wrap:anywhere] max-sm:mb-1.5">
          {host ?? t`itself: it registered here`}
        </dd>
        <dt className="text-ink-muted">
          <Trans>Sends you to</Trans>
        </dt>
        <dd className="[overflow-wrap:anywhere] max-sm:mb-1.5">{returnsTo}</dd>
        <dt className="text-ink-muted">
          <Trans>Acts for</Trans>
        </dt>
        <dd className="[overflow-wrap:anywhere] max-sm:mb-1.5">{email ?? t`you`}</dd>
      </dl>
      <p>
        <Trans>
          Connect it only if you have just added it in a program of yours. If a link or a message
          brought you here, decline.
        </Trans>
      </p>
    </>
  );
}

type TenantChoiceProps = {
  tenants: readonly OwnTenant[];
  value: OwnTenant["tenantId"] | null;
  onValueChange: (tenantId: OwnTenant["tenantId"]) => void;
};

function TenantChoice({ tenants, value, onValueChange }: TenantChoiceProps) {
  return (
    <SelectField
      label={t`Tenant`}
      help={t`It sees this one and no other.`}
      placeholder={t`Choose a tenant`}
      value={value}
      choices={tenants.map(({ tenantId, name, role, customRole }) => ({
        value: tenantId,
        label: name,
        note: t`You are ${nameRole({ role, customRole })} there.`,
      }))}
      onValueChange={onValueChange}
    />
  );
}

type ScopeListProps = {
  asked: readonly AgentScope[];
  tenant: OwnTenant | undefined;
  givable: readonly AgentScope[];
  isGiven: (scope: AgentScope) => boolean;
  onChange: (scope: AgentScope, isGiven: boolean) => void;
};

function ScopeList({ asked, tenant, givable, isGiven, onChange }: ScopeListProps) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium">
        <Trans>What it may do</Trans>
      </legend>
      <div className="flex flex-col gap-2.5 touch:gap-0">
        {asked.map((scope) => {
          const isBarred = tenant !== undefined && !givable.includes(scope);
          const { label, note } = SCOPE_WORDS[scope];
          return (
            <Checkbox
              key={scope}
              label={label}
              help={isBarred ? t`Your role, ${nameRole(tenant)}, does not have ${scope}.` : note}
              isChecked={isGiven(scope)}
              isDisabled={tenant === undefined || isBarred}
              onCheckedChange={(isChecked) => onChange(scope, isChecked)}
            />
          );
        })}
      </div>
    </fieldset>
  );
}

function Done({ name, isAllowed }: { name: string; isAllowed: boolean }) {
  return (
    <Card title={isAllowed ? t`Connected` : t`Declined`}>
      <p role="status" className="[overflow-wrap:anywhere]">
        {isAllowed
          ? t`Go back to ${name}: it goes on by itself. You can close this page.`
          : t`${name} was refused. You can close this page.`}
      </p>
    </Card>
  );
}
