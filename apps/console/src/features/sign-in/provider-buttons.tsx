import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import type { IdentityProvider } from "#platform/client-config.ts";
import { usePlatform } from "#platform/platform.tsx";
import { openSignInWindow } from "#platform/session/sign-in-window.ts";
import { toSignInProblem } from "#platform/session/to-sign-in-problem.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { ProblemNotice } from "./problem-notice.tsx";

type Choice = Pick<IdentityProvider, "id" | "flow">;

/** One button for each external provider. */
export function ProviderButtons({ providers }: { providers: readonly IdentityProvider[] }) {
  const { session } = usePlatform();
  const leave = useMutation({
    mutationFn: async ({ id, flow }: Choice) =>
      flow === "window"
        ? await session.signInInWindow(id, openSignInWindow(window))
        : await session.startRedirect(id),
    retry: false,
  });
  const leaveOnce = useSubmitOnce(leave.mutateAsync, "settled");
  const chosen = leave.variables;
  const isWindow = chosen?.flow === "window";
  const isWindowImpossible =
    leave.isError && isWindow && toSignInProblem(leave.error).wayOn === "use_redirect";
  return (
    <div className="space-y-2">
      {leave.isError && <ProblemNotice error={leave.error} />}
      {isWindowImpossible && (
        <Button look="primary" className="w-full" onClick={() => leaveOnce({ id: chosen.id })}>
          <Trans>Continue without a window</Trans>
        </Button>
      )}
      {providers.map(({ id, name, flow }, index) => {
        const isLeaving = (leave.isPending || leave.isSuccess) && chosen?.id === id;
        return (
          <Button
            key={id}
            look={index === 0 && providers.length === 1 ? "primary" : "secondary"}
            className="w-full"
            progress={
              isLeaving ? (isWindow ? t`Waiting for ${name}…` : t`Going to ${name}…`) : undefined
            }
            onClick={() => leaveOnce({ id, ...(flow === undefined ? {} : { flow }) })}
          >
            <Trans>Continue with {name}</Trans>
          </Button>
        );
      })}
    </div>
  );
}

/** Separates the ways to sign in. */
export function OrLine() {
  return (
    <div className="flex items-center gap-3 text-ink-faint text-xs">
      <span className="h-px grow bg-line" aria-hidden="true" />
      <Trans>or</Trans>
      <span className="h-px grow bg-line" aria-hidden="true" />
    </div>
  );
}
