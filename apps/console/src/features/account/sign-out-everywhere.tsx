import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useRefreshAccount } from "./account.queries.ts";

/** Ends every sign-in of the person, or all but this browser's. */
export function SignOutEverywhere() {
  const { api, session } = usePlatform();
  const refresh = useRefreshAccount();
  const [asked, setAsked] = useState<"others" | "all">();
  const end = useMutation({
    mutationKey: ["account", "end-sign-ins"],
    mutationFn: (input: { keepThis: boolean }) => api.account.endSignIns(input),
    onSuccess: async (_ended, { keepThis }) => {
      setAsked(undefined);
      if (keepThis) {
        toast.success(t`Everything else was signed out.`);
        await refresh();
      } else {
        await session.signOut();
      }
    },
  });
  const endOnce = useSubmitOnce(end.mutateAsync, "settled");
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      <Button onClick={() => setAsked("others")}>
        <Trans>Sign out everywhere else…</Trans>
      </Button>
      <Button look="danger" onClick={() => setAsked("all")}>
        <Trans>Sign out everywhere…</Trans>
      </Button>
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={() => {
          end.reset();
          setAsked(undefined);
        }}
        title={asked === "all" ? t`Sign out everywhere?` : t`Sign out everywhere else?`}
        description={
          asked === "all"
            ? t`Every browser is signed out, this one included, with every command line and every agent that acts as you.`
            : t`Every other browser is signed out, with every command line and every agent that acts as you. This browser stays signed in.`
        }
        action={asked === "all" ? t`Sign out everywhere` : t`Sign out everywhere else`}
        progress={end.isPending ? t`Signing out…` : undefined}
        error={end.isError ? toErrorMessage(end.error) : undefined}
        onConfirm={() => endOnce({ keepThis: asked === "others" })}
      />
    </div>
  );
}
