import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { personTokensKey, personTokensQuery } from "./device.queries.ts";

/** The command lines that act as the person; nothing while there are none. */
export function SignedInDevices() {
  const { api } = usePlatform();
  const client = useQueryClient();
  const tokens = useQuery(personTokensQuery(api));
  const signOut = useMutation({
    mutationKey: ["person-tokens", "revoke"],
    mutationFn: (personTokenId: string) => api.personTokens.revoke({ personTokenId }),
    onSuccess: ({ name }) => void toast.success(t`${name} is signed out.`),
    onError: (error) => void toast.error(toErrorMessage(error)),
    onSettled: () => client.invalidateQueries({ queryKey: personTokensKey }),
  });
  if (tokens.data === undefined || tokens.data.length === 0) {
    return null;
  }
  return (
    <section aria-labelledby="signed-in-title">
      <h2 id="signed-in-title" className="mb-2 font-semibold text-base">
        <Trans>Signed-in command lines</Trans>
      </h2>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface">
        {tokens.data.map(({ personTokenId, name, start, createdAt, expiresAt }) => (
          <li key={personTokenId} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <div className="min-w-0 grow basis-56">
              <p className="font-medium [overflow-wrap:anywhere]">{name}</p>
              <p className="text-ink-muted text-xs">
                <code className="font-mono">{start}…</code>
                <Trans>
                  , since <RelativeTime at={createdAt} />, until
                </Trans>{" "}
                <RelativeTime at={expiresAt} />
              </p>
            </div>
            <Button
              size="small"
              aria-label={t`Sign out ${name}`}
              progress={
                signOut.isPending && signOut.variables === personTokenId
                  ? t`Signing out…`
                  : undefined
              }
              onClick={() => signOut.mutate(personTokenId)}
            >
              <Trans>Sign out</Trans>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
