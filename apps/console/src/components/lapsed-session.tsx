import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogActions } from "@turnpike/ui/dialog-actions";
import { usePlatform } from "#platform/platform.tsx";
import { openSignInWindow } from "#platform/session/sign-in-window.ts";
import { toSignInProblem } from "#platform/session/to-sign-in-problem.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";

/** Above a page whose person the provider wants to see again. What they typed stays where it is. */
export function LapsedSession({ providerId }: { providerId: string }) {
  const { session, config } = usePlatform();
  const queryClient = useQueryClient();
  const name =
    config.identity.providers.find(({ id }) => id === providerId)?.name ?? t`Your provider`;
  const signIn = useMutation({
    mutationFn: async () => await session.signInInWindow(providerId, openSignInWindow(window)),
    // What failed meanwhile is asked for again.
    onSuccess: () => void queryClient.invalidateQueries(),
    retry: false,
  });
  const signInOnce = useSubmitOnce(signIn.mutateAsync, "settled");
  const problem = signIn.isError ? toSignInProblem(signIn.error) : undefined;
  return (
    <Dialog
      isOpen
      isLocked
      onClose={() => undefined}
      title={t`Sign in again to go on`}
      description={t`${name} wants to see you again. This page stays as it is, with what you typed.`}
    >
      {problem !== undefined && problem.cause !== "popup_replaced" && (
        <p role="alert" className="text-danger">
          {problem.sentence}
        </p>
      )}
      <DialogActions>
        <Button onClick={() => void session.signOut()}>
          <Trans>Sign out</Trans>
        </Button>
        {problem?.wayOn === "use_redirect" && (
          <Button onClick={() => void session.startRedirect(providerId)}>
            <Trans>Leave this page</Trans>
          </Button>
        )}
        <Button
          look="primary"
          progress={signIn.isPending ? t`Waiting for ${name}…` : undefined}
          onClick={() => signInOnce()}
        >
          <Trans>Sign in again</Trans>
        </Button>
      </DialogActions>
    </Dialog>
  );
}
