import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { toSignInProblem } from "#platform/session/to-sign-in-problem.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { Notice } from "../notice.tsx";

/** Signs in with Google through Firebase, and says why the last attempt failed, also after the way to Google and back. */
export function GoogleButton({ isOnlyWay }: { isOnlyWay: boolean }) {
  const { session } = usePlatform();
  // Good for one reading, also where the page renders twice.
  const [returned] = useState(() => session.firebase?.takeFailure());
  const go = useMutation({
    mutationFn: async (flow?: "redirect") => await session.firebase?.continueWithGoogle(flow),
    retry: false,
  });
  const goOnce = useSubmitOnce(go.mutateAsync, "settled");
  const error: unknown = go.error ?? (go.isIdle ? returned : undefined);
  const problem = error === undefined || error === null ? undefined : toSignInProblem(error);
  return (
    <div className="space-y-2">
      {problem !== undefined && (
        <Notice tone="danger" title={problem.title}>
          {problem.sentence}
        </Notice>
      )}
      {problem?.wayOn === "use_redirect" && (
        <Button look="primary" className="w-full" onClick={() => goOnce("redirect")}>
          <Trans>Continue without a window</Trans>
        </Button>
      )}
      <Button
        look={isOnlyWay ? "primary" : "secondary"}
        className="w-full"
        progress={go.isPending ? t`Waiting for Google…` : undefined}
        onClick={() => goOnce(undefined)}
      >
        <Trans>Continue with Google</Trans>
      </Button>
    </div>
  );
}
