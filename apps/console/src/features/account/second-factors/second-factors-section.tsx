import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { ErrorState } from "@turnpike/ui/error-state";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { ChangeFactor } from "./change-factor.tsx";
import { type Change, FactorList } from "./factor-list.tsx";
import { createAsk, factorsQuery } from "./factors.queries.ts";

/** Passkeys, the app for codes and recovery codes of the person. */
export function SecondFactorsSection() {
  const { config } = usePlatform();
  const builtIn = config.identity.providers.find(({ kind }) => kind === "builtin");
  return builtIn === undefined ? null : (
    <Card
      title={t`Second factors`}
      description={t`From the first one on, your password alone lets no one in.`}
    >
      <Content issuer={builtIn.issuer} />
    </Card>
  );
}

function Content({ issuer }: { issuer: string }) {
  const { json, session } = usePlatform();
  const [change, setChange] = useState<Change>();
  const factors = useQuery(factorsQuery(json, issuer));
  const isExpired =
    (factors.error instanceof RequestError && factors.error.code === "SIGN_IN_EXPIRED") ||
    // Another person signed in at the provider in this browser meanwhile.
    (factors.data !== undefined && factors.data.accountId !== session.getState().user?.subject);
  if (isExpired) {
    return (
      <div className="flex flex-wrap items-center gap-3">
        <p className="text-ink-muted">
          <Trans>Sign in again to see and change your second factors.</Trans>
        </p>
        <Button size="small" onClick={() => void session.signOut()}>
          <Trans>Sign in again</Trans>
        </Button>
      </div>
    );
  }
  if (factors.data === undefined) {
    return factors.isError ? (
      <ErrorState
        title={t`Your second factors could not be loaded.`}
        reason={toErrorMessage(factors.error)}
        onRetry={() => void factors.refetch()}
      />
    ) : (
      <Skeleton className="h-24 w-full" />
    );
  }
  return change === undefined ? (
    <FactorList factors={factors.data} onChange={setChange} />
  ) : (
    <ChangeFactor
      key={change.kind}
      change={change}
      factors={factors.data}
      ask={createAsk(json, issuer)}
      onDone={() => setChange(undefined)}
    />
  );
}
