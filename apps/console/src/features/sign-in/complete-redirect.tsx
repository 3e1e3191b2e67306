import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { useEffect, useRef } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { ProblemNotice } from "./problem-notice.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";

export type CompleteRedirectProps = {
  /** The address that the provider sent the person to. */
  url: string;
  onBack: () => void;
};

/** Completes a provider's sign-in. The guard then takes the person to the page they asked for. */
export function CompleteRedirect({ url, onBack }: CompleteRedirectProps) {
  const { session } = usePlatform();
  const hasBegun = useRef(false);
  const { mutate, isError, error } = useMutation({
    mutationFn: async () => await session.completeRedirect(new URL(url)),
    retry: false,
  });
  // The outside system is the provider. Its answer works once, so it is used once.
  useEffect(() => {
    if (!hasBegun.current) {
      hasBegun.current = true;
      mutate();
    }
  }, [mutate]);
  return (
    <SignInFrame title={isError ? t`You are not signed in` : t`Signing you in…`}>
      {isError ? (
        <>
          <ProblemNotice error={error} />
          <Button look="primary" className="w-full" onClick={onBack}>
            <Trans>Start again</Trans>
          </Button>
        </>
      ) : (
        <p role="status" className="text-ink-muted">
          <Trans>Checking your provider’s response. This takes a moment.</Trans>
        </p>
      )}
    </SignInFrame>
  );
}
