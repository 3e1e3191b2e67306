import { t } from "@lingui/core/macro";
import { Card } from "@turnpike/ui/card";
import type { ReactNode } from "react";
import { usePlatform } from "#platform/platform.tsx";
import type { OwnAccount } from "./account.queries.ts";

/** The provider that vouches for the person, for those whose account is kept elsewhere. Nothing for an account with a password here. */
export function ProviderSection({ account }: { account: OwnAccount }) {
  const { config, session } = usePlatform();
  if (account.kind === "builtin") {
    return null;
  }
  const { providerId } = session.getState().user ?? {};
  const name = config.identity.providers.find(({ id }) => id === providerId)?.name;
  return (
    <Card
      title={t`Signed in with ${name ?? t`another provider`}`}
      description={t`That provider keeps your name, address and password, and the list of your browsers. Change them there: they are shown here after your next sign-in.`}
    >
      <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[max-content_minmax(0,1fr)]">
        <Fact name={t`Name`}>{account.name ?? t`not given`}</Fact>
        <Fact name={t`E-mail address`}>
          {account.email ?? t`not given`}
          {account.email !== null && !account.emailVerified && t` (not confirmed)`}
        </Fact>
        {account.issuer !== null && <Fact name={t`Provider`}>{account.issuer}</Fact>}
      </dl>
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-muted">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
