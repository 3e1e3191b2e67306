import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { RequestError } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { openSignInWindow } from "#platform/session/sign-in-window.ts";
import { toSignInMessage } from "#platform/session/to-sign-in-problem.ts";

/**
 * Where a change was refused because the person signed in too long ago: has their provider ask them again, in a window. Nothing for
 * other refusals.
 */
export function ConfirmAgain({ error, onDone }: { error: Error | null; onDone: () => void }) {
  const { config, session } = usePlatform();
  const { providerId } = session.getState().user ?? {};
  const provider = config.identity.providers.find(
    ({ id, kind }) => id === providerId && kind === "oidc",
  );
  const confirm = useMutation({
    mutationFn: async () => await session.confirmInWindow(openSignInWindow(window)),
    onSuccess: onDone,
    retry: false,
  });
  const isTooOld = error instanceof RequestError && error.code === "SIGN_IN_EXPIRED";
  if (!isTooOld || provider === undefined) {
    return null;
  }
  return (
    <div className="space-y-2">
      {confirm.isError && (
        <p role="alert" className="text-danger">
          {toSignInMessage(confirm.error)}
        </p>
      )}
      <Button
        progress={confirm.isPending ? t`Waiting for ${provider.name}…` : undefined}
        onClick={() => confirm.mutate()}
      >
        <Trans>Confirm at {provider.name}</Trans>
      </Button>
    </div>
  );
}
