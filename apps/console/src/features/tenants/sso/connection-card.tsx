import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { type ReactNode, useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { nameRoleByText } from "#platform/may-in-tenant.ts";
import { ConnectionForm } from "./connection-form.tsx";
import { ServiceAddresses } from "./service-addresses.tsx";
import type { Sso, SsoConnection } from "./sso.queries.ts";
import { useSsoChange } from "./use-sso-change.ts";

export type ConnectionCardProps = { tenant: OwnTenant; sso: Sso; mayWrite: boolean };

/** The identity provider of the tenant: what is set up, and the form that sets it up. */
export function ConnectionCard({ tenant, sso, mayWrite }: ConnectionCardProps) {
  const [isEditing, setIsEditing] = useState(false);
  const { connection } = sso;
  const isForm = mayWrite && (isEditing || connection === null);
  return (
    <Card
      title={t`Identity provider`}
      description={t`OpenID Connect or SAML 2.0.`}
      aside={connection !== null && <State connection={connection} />}
    >
      {isForm ? (
        <ConnectionForm
          tenant={tenant}
          sso={sso}
          onDone={() => setIsEditing(false)}
          {...(connection !== null && { onCancel: () => setIsEditing(false) })}
        />
      ) : connection === null ? (
        <p className="text-ink-muted">
          <Trans>Nothing is set up yet.</Trans>
        </p>
      ) : (
        <div className="space-y-4">
          <Facts connection={connection} />
          <ServiceAddresses service={sso.service} protocol={connection.protocol} />
          {mayWrite && (
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => setIsEditing(true)}>
                <Trans>Change…</Trans>
              </Button>
              <Remove tenant={tenant} />
            </div>
          )}
        </div>
      )}
    </Card>
  );
}

function State({ connection }: { connection: SsoConnection }) {
  if (!connection.enabled) {
    return (
      <Badge>
        <Trans>Off</Trans>
      </Badge>
    );
  }
  return <Badge tone="ok">{connection.required ? t`Required` : t`On`}</Badge>;
}

function Facts({ connection }: { connection: SsoConnection }) {
  const { lastFailure, lastUsedAt } = connection;
  return (
    <>
      <dl className="divide-y divide-line border-line border-y">
        <Fact name={t`Name`}>{connection.name}</Fact>
        {connection.protocol === "oidc" ? (
          <>
            <Fact name={t`Issuer`}>{connection.issuer}</Fact>
            <Fact name={t`Client id`}>{connection.clientId}</Fact>
            <Fact name={t`Client secret`}>{connection.hasClientSecret ? t`Stored` : t`None`}</Fact>
          </>
        ) : (
          <>
            <Fact name={t`Entity id`}>{connection.entityId}</Fact>
            <Fact name={t`Signs with`}>
              {connection.certificates.map(({ sha256, subject, notAfter }) => (
                <span key={sha256} className="block">
                  <Trans>
                    {subject}, until {notAfter.slice(0, 10)}
                  </Trans>
                </span>
              ))}
            </Fact>
          </>
        )}
        <Fact name={t`New people become`}>{nameRoleByText(connection.defaultRole)}</Fact>
        <Fact name={t`Last sign-in`}>
          {lastUsedAt === null ? t`None yet` : <RelativeTime at={lastUsedAt} />}
        </Fact>
      </dl>
      {lastFailure !== null && (
        <div
          role="note"
          className="rounded-control border border-transparent bg-warning-soft px-3 py-2.5 text-sm"
        >
          <p className="font-medium text-warning">
            <Trans>A sign-in failed</Trans> <RelativeTime at={lastFailure.at} />
          </p>
          <p className="[overflow-wrap:anywhere]">{lastFailure.reason}</p>
        </div>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 py-2">
      <dt className="w-40 shrink-0 text-ink-muted">{name}</dt>
      <dd className="min-w-0 grow basis-56 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

function Remove({ tenant }: { tenant: OwnTenant }) {
  const [isAsking, setIsAsking] = useState(false);
  const remove = useSsoChange<undefined>(tenant, {
    run: (sso) => sso.remove({ tenantId: tenant.tenantId }),
    done: () => t`Single sign-on was removed.`,
  });
  return (
    <>
      <Button look="danger" onClick={() => setIsAsking(true)}>
        <Trans>Remove…</Trans>
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => {
          remove.reset();
          setIsAsking(false);
        }}
        title={t`Remove single sign-on?`}
        description={t`Members stay. People without a password choose one by “Forgot your password?” on the sign-in page.`}
        action={t`Remove`}
        progress={remove.isPending ? t`Removing…` : undefined}
        error={remove.isError ? toErrorMessage(remove.error) : undefined}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => setIsAsking(false) })}
      />
    </>
  );
}
