import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { CodeBlock } from "@turnpike/ui/code-block";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import type { SsoDomain } from "./sso.queries.ts";
import { useSsoChange } from "./use-sso-change.ts";

export type DomainsCardProps = {
  tenant: OwnTenant;
  domains: readonly SsoDomain[];
  mayWrite: boolean;
};

/** The domains of the tenant's e-mail addresses, and how each is proven. */
export function DomainsCard({ tenant, domains, mayWrite }: DomainsCardProps) {
  return (
    <Card
      title={t`Domains`}
      description={t`Only people with an address of a proven domain can sign in this way.`}
    >
      {domains.length > 0 && (
        <ul aria-label={t`Domains`} className="mb-4 divide-y divide-line border-line border-y">
          {domains.map((domain) => (
            <DomainItem key={domain.domain} tenant={tenant} domain={domain} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
      {domains.length === 0 && !mayWrite && (
        <p className="text-ink-muted">
          <Trans>No domain yet.</Trans>
        </p>
      )}
      {mayWrite && <AddDomain tenant={tenant} />}
    </Card>
  );
}

function AddDomain({ tenant }: { tenant: OwnTenant }) {
  const [domain, setDomain] = useState("");
  const add = useSsoChange<string>(tenant, {
    run: (sso, input) => sso.addDomain({ tenantId: tenant.tenantId, domain: input }),
    done: (input) => t`${input} was added. Prove it by its record.`,
  });
  const failure = toFormFailure(add.error, { domain: "/domain" });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    add.mutate(domain.trim().toLowerCase(), { onSuccess: () => setDomain("") });
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-start gap-2">
      <TextField
        label={t`Domain`}
        className="min-w-0 grow basis-56"
        name="domain"
        placeholder="example.com"
        value={domain}
        maxLength={253}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        error={failure?.fields.domain ?? failure?.messages[0]}
        onChange={(event) => setDomain(event.currentTarget.value)}
      />
      <Button
        type="submit"
        className="sm:mt-6"
        disabled={domain.trim() === ""}
        progress={add.isPending ? t`Adding…` : undefined}
      >
        <Trans>Add domain</Trans>
      </Button>
    </form>
  );
}

type DomainItemProps = { tenant: OwnTenant; domain: SsoDomain; mayWrite: boolean };

function DomainItem({ tenant, domain, mayWrite }: DomainItemProps) {
  const { tenantId } = tenant;
  const name = domain.domain;
  const isProven = domain.verifiedAt !== null;
  const verify = useSsoChange<string>(tenant, {
    run: (sso, input) => sso.verifyDomain({ tenantId, domain: input }),
    done: (input) => t`${input} is proven.`,
  });
  const remove = useSsoChange<string>(tenant, {
    run: (sso, input) => sso.removeDomain({ tenantId, domain: input }),
    done: (input) => t`${input} was removed.`,
  });
  return (
    <li className="space-y-3 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="min-w-0 grow font-medium [overflow-wrap:anywhere]">{name}</h3>
        <Badge tone={isProven ? "ok" : "warning"}>{isProven ? t`Proven` : t`Not proven yet`}</Badge>
        {mayWrite && (
          <Button
            size="small"
            look="quiet"
            aria-label={t`Remove ${name}`}
            progress={remove.isPending ? t`Removing…` : undefined}
            onClick={() => remove.mutate(name)}
          >
            <Trans>Remove</Trans>
          </Button>
        )}
      </div>
      {!isProven && (
        <div className="space-y-2">
          <p className="text-ink-muted text-sm">
            <Trans>Add this TXT record where the domain is managed, then check it.</Trans>
          </p>
          <CodeBlock code={domain.record.name} subject={t`Name of the record`} note={t`Name`} />
          <CodeBlock code={domain.record.value} subject={t`Value of the record`} note={t`Value`} />
          {mayWrite && (
            <Button
              size="small"
              aria-label={t`Check the record of ${name}`}
              progress={verify.isPending ? t`Checking…` : undefined}
              onClick={() => verify.mutate(name)}
            >
              <Trans>Check the record</Trans>
            </Button>
          )}
        </div>
      )}
      {verify.error !== null && (
        <FailureNotice what={t`${name} is not proven yet.`} cause={verify.error} />
      )}
      {remove.error !== null && (
        <FailureNotice what={t`${name} was not removed.`} cause={remove.error} />
      )}
    </li>
  );
}
