import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { ErrorState } from "@turnpike/ui/error-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { type SignIn, signInsKey, signInsQuery } from "./account.queries.ts";
import { SignOutEverywhere } from "./sign-out-everywhere.tsx";

/** What a browser is called: "Firefox on Linux". */
export function nameBrowser({ browser, system }: Pick<SignIn, "browser" | "system">): string {
  return system === null ? (browser ?? t`A browser`) : t`${browser ?? t`A browser`} on ${system}`;
}

/** The browsers that are signed in as the person, and how to end them. */
export function SignInsSection() {
  const { api } = usePlatform();
  const signIns = useQuery(signInsQuery(api));
  return (
    <Card
      title={t`Where you are signed in`}
      description={t`Each browser that can get a new token, those used last first. Browsers say themselves what they are.`}
    >
      {signIns.isError && (
        <ErrorState
          size="notice"
          title={t`The list could not be loaded.`}
          reason={toErrorMessage(signIns.error)}
          onRetry={() => void signIns.refetch()}
        />
      )}
      {signIns.isPending && <Skeleton className="h-24 w-full" />}
      {signIns.data !== undefined && <SignInList items={signIns.data} />}
      <p className="mt-3 text-ink-muted">
        <Trans>
          Command lines that act as you are listed under{" "}
          <Link to="/device" className="font-medium text-ink underline underline-offset-4">
            Command lines
          </Link>
          , agents under{" "}
          <Link
            to="/tenants"
            search={{ tab: "agents" }}
            className="font-medium text-ink underline underline-offset-4"
          >
            Agents
          </Link>{" "}
          of each tenant.
        </Trans>
      </p>
      <SignOutEverywhere />
    </Card>
  );
}

function SignInList({ items }: { items: readonly SignIn[] }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const end = useMutation({
    mutationKey: ["account", "end-sign-in"],
    mutationFn: (signInId: string) => api.account.endSignIn({ signInId }),
    onSuccess: (ended) => void toast.success(t`${nameBrowser(ended)} is signed out.`),
    onError: (error) => void toast.error(toErrorMessage(error)),
    onSettled: () => client.invalidateQueries({ queryKey: signInsKey }),
  });
  return (
    <ul className="divide-y divide-line rounded-control border border-line">
      {items.map((item) => (
        <li key={item.signInId} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5">
          <div className="min-w-0 grow basis-56">
            <p className="font-medium">
              {nameBrowser(item)}{" "}
              {item.isThis && (
                <Badge tone="accent" hasDot={false}>
                  <Trans>This browser</Trans>
                </Badge>
              )}
            </p>
            <p className="text-ink-muted text-xs">
              <Trans>
                Signed in <RelativeTime at={item.createdAt} />, last used{" "}
              </Trans>
              <RelativeTime at={item.lastUsedAt} />
            </p>
          </div>
          {!item.isThis && (
            <Button
              size="small"
              aria-label={t`Sign out ${nameBrowser(item)}`}
              progress={
                end.isPending && end.variables === item.signInId ? t`Signing out…` : undefined
              }
              onClick={() => end.mutate(item.signInId)}
            >
              <Trans>Sign out</Trans>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
