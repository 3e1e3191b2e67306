import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { FormErrors } from "@turnpike/ui/form-errors";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import { PasswordField } from "#components/password/password-field.tsx";
import type { Ask, AskedPasskey } from "#components/second-factor/factor-calls.ts";
import { answerWithPasskey, canUsePasskeys } from "#components/second-factor/passkeys.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import type { Factors, Proof } from "./factors.queries.ts";

export type ProofFormProps = {
  factors: Factors;
  /** What the proof is for: "Remove the passkey". */
  action: string;
  isDangerous: boolean;
  ask: Ask;
  send: (proof: Proof) => Promise<void>;
  onCancel: () => void;
};

/** Asks for a proof before something changes how the account is protected: a device left open is not enough. */
export function ProofForm({ factors, action, isDangerous, ask, send, onCancel }: ProofFormProps) {
  const [way, setWay] = useState<"password" | "code">("password");
  const [text, setText] = useState("");
  const sending = useMutation({
    retry: false,
    mutationFn: async (proof: Proof | "passkey") => {
      if (proof !== "passkey") {
        await send(proof);
        return;
      }
      const { options } = (await ask("proof", {})) as AskedPasskey;
      await send({ passkey: await answerWithPasskey(options) });
    },
  });
  const hasCodes = factors.totp !== null || factors.recoveryCodesLeft > 0;
  const hasPasskeys = factors.passkeys.length > 0 && canUsePasskeys(globalThis.location.hostname);
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (text !== "" && !sending.isPending) {
      sending.mutate(way === "password" ? { password: text } : { code: text });
    }
  }
  return (
    <form onSubmit={submit} method="post" noValidate className="flex max-w-md flex-col gap-4">
      <FormErrors
        title={sending.isError ? t`Nothing was changed.` : undefined}
        errors={sending.isError ? [toErrorMessage(sending.error)] : []}
      />
      <input type="hidden" name="username" autoComplete="username" value={factors.email} readOnly />
      {way === "password" ? (
        <PasswordField
          key="password"
          label={t`Password`}
          autoComplete="current-password"
          error={undefined}
          onValueChange={setText}
        />
      ) : (
        <TextField
          key="code"
          label={t`Code of your app, or a recovery code`}
          name="code"
          autoComplete="one-time-code"
          isMono
          maxLength={40}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look={isDangerous ? "danger" : "primary"}
          disabled={text === ""}
          progress={sending.isPending ? t`One moment…` : undefined}
        >
          {action}
        </Button>
        {hasPasskeys && (
          <Button disabled={sending.isPending} onClick={() => sending.mutate("passkey")}>
            <Trans>Show a passkey instead</Trans>
          </Button>
        )}
        {hasCodes && (
          <Button
            look="quiet"
            disabled={sending.isPending}
            onClick={() => {
              setText("");
              setWay(way === "password" ? "code" : "password");
            }}
          >
            {way === "password" ? t`Use a code instead` : t`Use the password instead`}
          </Button>
        )}
        <Button look="quiet" disabled={sending.isPending} onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}
