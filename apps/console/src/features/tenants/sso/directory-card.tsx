import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { CodeBlock } from "@turnpike/ui/code-block";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Dialog } from "@turnpike/ui/dialog";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { SecretOnce } from "@turnpike/ui/secret-once";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useStake } from "@turnpike/ui/unsaved";
import { type ReactNode, useState } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { nameRoleByText } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { DirectoryActivity } from "./directory-activity.tsx";
import { type Scim, type ScimToken, scimQuery } from "./scim.queries.ts";
import { useScimChange } from "./use-scim-change.ts";

/** The server keeps as many: one in use, and one to change over to. */
const TOKENS_MAX = 2;

export type DirectoryCardProps = {
  tenant: OwnTenant;
  /** Without a proven domain the directory could add no one. */
  hasProvenDomain: boolean;
  mayWrite: boolean;
};

/** How the tenant's own directory keeps its members, by SCIM. */
export function DirectoryCard({ tenant, hasProvenDomain, mayWrite }: DirectoryCardProps) {
  const { api } = usePlatform();
  const scim = useQuery(scimQuery(api, tenant.tenantId));
  return (
    <Card
      title={t`Directory`}
      description={t`Your directory adds, changes and removes members by itself, over SCIM 2.0.`}
      aside={scim.data !== undefined && <Badge {...toState(scim.data)} />}
    >
      {scim.isError && scim.data === undefined ? (
        <FailureNotice
          what={t`The directory could not be loaded.`}
          cause={scim.error}
          onRetry={() => void scim.refetch()}
        />
      ) : scim.data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : (
        <Directory
          tenant={tenant}
          scim={scim.data}
          hasProvenDomain={hasProvenDomain}
          mayWrite={mayWrite}
        />
      )}
    </Card>
  );
}

function toState({ tokens }: Scim) {
  if (tokens.length === 0) {
    return { children: t`Off` };
  }
  return tokens.some(({ lastUsedAt }) => lastUsedAt !== null)
    ? { tone: "ok" as const, children: t`Connected` }
    : { tone: "warning" as const, children: t`Waiting for the directory` };
}

function Directory({
  tenant,
  scim,
  hasProvenDomain,
  mayWrite,
}: DirectoryCardProps & { scim: Scim }) {
  const isOff = scim.tokens.length === 0;
  return (
    <div className="space-y-4">
      {!isOff && (
        <CodeBlock
          code={scim.baseUrl}
          subject={t`Base address`}
          note={t`Enter this at your directory as the tenant URL or base URL`}
        />
      )}
      {!isOff && <Tokens tenant={tenant} tokens={scim.tokens} mayWrite={mayWrite} />}
      {isOff && (
        <p className="text-ink-muted">
          {hasProvenDomain
            ? t`Create a token, and enter it at your directory.`
            : t`Prove a domain first: a directory may only add people with an address of one.`}{" "}
          <DocsLink page="single-sign-on">
            <Trans>Steps for Okta and Microsoft Entra ID</Trans>
          </DocsLink>
        </p>
      )}
      {mayWrite && (hasProvenDomain || !isOff) && (
        <CreateToken tenant={tenant} count={scim.tokens.length} />
      )}
      {!isOff && <People scim={scim} />}
      <DirectoryActivity requests={scim.requests} />
    </div>
  );
}

type TokensProps = { tenant: OwnTenant; tokens: readonly ScimToken[]; mayWrite: boolean };

function Tokens({ tenant, tokens, mayWrite }: TokensProps) {
  return (
    <ul aria-label={t`Tokens`} className="divide-y divide-line border-line border-y">
      {tokens.map((token) => (
        <li key={token.scimTokenId} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
          <code className="font-mono text-sm">{token.start}…</code>
          <span className="min-w-0 grow text-ink-muted text-sm">
            <Trans>
              Created <RelativeTime at={token.createdAt} />,{" "}
              {token.lastUsedAt === null ? (
                t`never used`
              ) : (
                <>
                  <Trans>last used</Trans> <RelativeTime at={token.lastUsedAt} />
                </>
              )}
            </Trans>
          </span>
          {mayWrite && <Revoke tenant={tenant} token={token} />}
        </li>
      ))}
    </ul>
  );
}

function CreateToken({ tenant, count }: { tenant: OwnTenant; count: number }) {
  const [secret, setSecret] = useState<string>();
  const create = useScimChange(tenant, (scim) => scim.createToken({ tenantId: tenant.tenantId }));
  // The response contains the token, which is shown nowhere else.
  useStake("secret", create.isPending);
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button
          disabled={count >= TOKENS_MAX}
          progress={create.isPending ? t`Creating…` : undefined}
          onClick={() =>
            create.mutate(undefined, { onSuccess: (answer) => setSecret(answer.secret) })
          }
        >
          {count === 0 ? t`Create token` : t`Create another token`}
        </Button>
        {count > 0 && (
          <p className="min-w-0 grow basis-56 text-ink-muted text-sm">
            {count >= TOKENS_MAX
              ? t`Two tokens at most: revoke one to create another.`
              : t`To change tokens without a gap, create one, enter it, then revoke the old one.`}
          </p>
        )}
      </div>
      {create.error !== null && (
        <FailureNotice what={t`The token was not created.`} cause={create.error} />
      )}
      <Dialog
        isOpen={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title={t`Your directory’s token`}
      >
        <SecretOnce
          subject={t`Token`}
          secret={secret ?? ""}
          advice={t`Enter it at your directory as the secret token. It can add and remove members.`}
          onStored={() => setSecret(undefined)}
        />
      </Dialog>
    </div>
  );
}

function Revoke({ tenant, token }: { tenant: OwnTenant; token: ScimToken }) {
  const [isAsking, setIsAsking] = useState(false);
  const revoke = useScimChange(tenant, (scim) =>
    scim.revokeToken({ tenantId: tenant.tenantId, scimTokenId: token.scimTokenId }),
  );
  const close = () => {
    revoke.reset();
    setIsAsking(false);
  };
  return (
    <>
      <Button
        size="small"
        look="quiet"
        aria-label={t`Revoke the token ${token.start}…`}
        onClick={() => setIsAsking(true)}
      >
        <Trans>Revoke…</Trans>
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={close}
        title={t`Revoke this token?`}
        description={t`A directory that uses it can no longer change members, at once. Members stay as they are.`}
        action={t`Revoke`}
        progress={revoke.isPending ? t`Revoking…` : undefined}
        error={revoke.isError ? toErrorMessage(revoke.error) : undefined}
        onConfirm={() =>
          revoke.mutate(undefined, {
            onSuccess: () => {
              setIsAsking(false);
              toast.success(t`The token was revoked.`);
            },
          })
        }
      />
    </>
  );
}

function People({ scim: { people, groups } }: { scim: Scim }) {
  return (
    <dl className="divide-y divide-line border-line border-y">
      <Fact name={t`Members`}>{people.members}</Fact>
      <Fact name={t`Waiting for a first sign-in`}>{people.waiting}</Fact>
      <Fact name={t`Access ended`}>{people.inactive}</Fact>
      {groups.map(({ name, role, members }) => (
        <Fact key={name} name={t`Group ${name}`}>
          <Trans>
            {members}, as {nameRoleByText(role)}
          </Trans>
        </Fact>
      ))}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 py-2">
      <dt className="w-52 shrink-0 text-ink-muted [overflow-wrap:anywhere]">{name}</dt>
      <dd className="min-w-0 grow basis-40 tabular-nums">{children}</dd>
    </div>
  );
}
