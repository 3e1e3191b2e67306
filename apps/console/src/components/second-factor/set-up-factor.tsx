import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { FormErrors } from "@turnpike/ui/form-errors";
import { useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import type { BegunPasskey, BegunTotp, SetUpCalls } from "./factor-calls.ts";
import { canUsePasskeys } from "./passkeys.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { SetUpPasskey } from "./set-up-passkey.tsx";
import { SetUpTotp } from "./set-up-totp.tsx";

export type Begun = ({ kind: "totp" } & BegunTotp) | ({ kind: "passkey" } & BegunPasskey);

/** Sets up a second factor of the person's choice. */
export function SetUpFactor({ calls }: { calls: SetUpCalls }) {
  const start = useMutation({
    retry: false,
    mutationFn: async (chosen: Begun["kind"]): Promise<Begun> =>
      chosen === "totp"
        ? { kind: chosen, ...(await calls.beginTotp()) }
        : { kind: chosen, ...(await calls.beginPasskey()) },
  });
  const begun = start.data;
  if (begun === undefined) {
    return (
      <div className="flex flex-col gap-3">
        <FormErrors
          title={start.isError ? t`The set-up was not started.` : undefined}
          errors={start.isError ? [toErrorMessage(start.error)] : []}
        />
        {canUsePasskeys(globalThis.location.hostname) && (
          <Button
            look="primary"
            progress={start.isPending && start.variables === "passkey" ? t`Starting…` : undefined}
            onClick={() => start.mutate("passkey")}
          >
            <Trans>Set up a passkey</Trans>
          </Button>
        )}
        <Button
          progress={start.isPending && start.variables === "totp" ? t`Starting…` : undefined}
          onClick={() => start.mutate("totp")}
        >
          <Trans>Set up an app for codes</Trans>
        </Button>
      </div>
    );
  }
  return <FinishSetUp begun={begun} calls={calls} />;
}

/** Ends a set-up. The recovery codes of the first factor come before it counts, so that people do not lock themselves out. */
export function FinishSetUp({ begun, calls }: { begun: Begun; calls: SetUpCalls }) {
  const [areSaved, setSaved] = useState(false);
  if (begun.recoveryCodes !== null && !areSaved) {
    return <RecoveryCodes codes={begun.recoveryCodes} onSaved={() => setSaved(true)} />;
  }
  return begun.kind === "totp" ? (
    <SetUpTotp begun={begun} confirm={calls.confirmTotp} />
  ) : (
    <SetUpPasskey begun={begun} begin={calls.beginPasskey} confirm={calls.confirmPasskey} />
  );
}
