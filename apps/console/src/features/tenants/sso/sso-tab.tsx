import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { mayDo, toMissingScope } from "../standing.view-model.ts";
import { useStanding } from "../use-standing.ts";
import { ConnectionCard } from "./connection-card.tsx";
import { DirectoryCard } from "./directory-card.tsx";
import { DomainsCard } from "./domains-card.tsx";
import { ssoQuery } from "./sso.queries.ts";

/** How the people of the tenant sign in at its own identity provider. */
export function SsoTab({ tenant }: { tenant: OwnTenant }) {
  const standing = useStanding(tenant);
  if (!mayDo(standing, "sso:read")) {
    return <p className="text-ink-muted">{toMissingScope(standing, t`see single sign-on`)}</p>;
  }
  return <SsoSetup tenant={tenant} mayWrite={mayDo(standing, "sso:write")} />;
}

function SsoSetup({ tenant, mayWrite }: { tenant: OwnTenant; mayWrite: boolean }) {
  const { api } = usePlatform();
  const sso = useQuery(ssoQuery(api, tenant.tenantId));
  if (sso.isError && sso.data === undefined) {
    return (
      <FailureNotice
        what={t`Single sign-on could not be loaded.`}
        cause={sso.error}
        onRetry={() => void sso.refetch()}
      />
    );
  }
  if (sso.data === undefined) {
    return <Skeleton className="h-64 w-full max-w-3xl rounded-card" />;
  }
  return (
    <div className="max-w-3xl space-y-4">
      <p className="text-ink-muted">
        <Trans>
          Your people sign in at your own identity provider, such as Microsoft Entra ID, Okta or
          Google Workspace, and become members of {tenant.name}.{" "}
          <DocsLink page="single-sign-on">Set it up step by step</DocsLink>
        </Trans>
      </p>
      {!mayWrite && (
        <p className="text-ink-muted">
          <Trans>Only an owner can change single sign-on.</Trans>
        </p>
      )}
      <DomainsCard tenant={tenant} domains={sso.data.domains} mayWrite={mayWrite} />
      <ConnectionCard tenant={tenant} sso={sso.data} mayWrite={mayWrite} />
      <DirectoryCard
        tenant={tenant}
        hasProvenDomain={sso.data.domains.some(({ verifiedAt }) => verifiedAt !== null)}
        mayWrite={mayWrite}
      />
    </div>
  );
}
