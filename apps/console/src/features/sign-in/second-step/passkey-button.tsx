import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { FormErrors } from "@turnpike/ui/form-errors";
import { useSyncExternalStore } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { hasPasskeys } from "./has-passkeys.ts";

const noSubscription = () => () => undefined;

/** Signs in with a passkey, without an address or a password. Shown where the browser can. */
export function PasskeyButton() {
  const { session } = usePlatform();
  const isShown = useSyncExternalStore(noSubscription, hasPasskeys, () => false);
  const signIn = useMutation({
    retry: false,
    mutationFn: async () => {
      const { signInWithPasskey } = await import("./sign-in-with-passkey.ts");
      await signInWithPasskey(await session.openSignIn());
    },
  });
  return isShown ? (
    <>
      <FormErrors
        title={signIn.isError ? t`You are not signed in` : undefined}
        errors={signIn.isError ? [toErrorMessage(signIn.error)] : []}
      />
      <Button
        className="w-full"
        progress={signIn.isPending || signIn.isSuccess ? t`Waiting for your device…` : undefined}
        onClick={() => signIn.mutate()}
      >
        <Trans>Sign in with a passkey</Trans>
      </Button>
    </>
  ) : null;
}
