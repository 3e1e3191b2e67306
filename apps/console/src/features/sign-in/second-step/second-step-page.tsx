import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { FormErrors } from "@turnpike/ui/form-errors";
import { useState } from "react";
import { CodeForm } from "#components/second-factor/code-form.tsx";
import type { BegunPasskey, BegunTotp } from "#components/second-factor/factor-calls.ts";
import { SetUpFactor } from "#components/second-factor/set-up-factor.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import type { FactorKind, SecondStep } from "#platform/session/session.ts";
import { SignInFrame } from "../sign-in-frame.tsx";
import { signInWithPasskey } from "./sign-in-with-passkey.ts";

export type SecondStepPageProps = { step: SecondStep; onBack: () => void };

/** What a sign-in needs after the password: a factor, or the set-up of the first one. */
export function SecondStepPage({ step, onBack }: SecondStepPageProps) {
  const aside = (
    <button type="button" onClick={onBack} className="cursor-pointer font-medium underline">
      <Trans>Start over</Trans>
    </button>
  );
  if (step.factors === undefined) {
    return (
      <SignInFrame
        title={t`Set up a second factor`}
        purpose={t`This service asks for more than a password. You do this once.`}
        aside={aside}
      >
        <SetUpFactor
          calls={{
            beginTotp: async () => (await step.ask("set-up/totp", {})) as BegunTotp,
            confirmTotp: (code) => step.finish("set-up/totp/confirm", { code }),
            beginPasskey: async () => (await step.ask("set-up/passkey", {})) as BegunPasskey,
            confirmPasskey: (input) => step.finish("set-up/passkey/confirm", input),
          }}
        />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title={t`One more step`}
      purpose={t`Your password is right. Now show that it is you.`}
      aside={aside}
    >
      <Factors step={step} factors={step.factors} />
    </SignInFrame>
  );
}

function Factors({ step, factors }: { step: SecondStep; factors: readonly FactorKind[] }) {
  const [isRecovery, setRecovery] = useState(factors.every((kind) => kind === "recovery"));
  const passkey = useMutation({ retry: false, mutationFn: () => signInWithPasskey(step) });
  const send = (code: string) => step.finish("factor", { code });
  const words = { action: t`Sign in`, progress: t`Signing in…`, send } as const;
  if (isRecovery) {
    return (
      <>
        <CodeForm key="recovery" kind="recovery" {...words} />
        {factors.length > 1 && (
          <Button look="quiet" onClick={() => setRecovery(false)}>
            <Trans>Use another way</Trans>
          </Button>
        )}
      </>
    );
  }
  return (
    <>
      <FormErrors
        title={passkey.isError ? t`You are not signed in` : undefined}
        errors={passkey.isError ? [toErrorMessage(passkey.error)] : []}
      />
      {factors.includes("passkey") && (
        <Button
          look={factors.includes("totp") ? "secondary" : "primary"}
          className="w-full"
          progress={
            passkey.isPending || passkey.isSuccess ? t`Waiting for your device…` : undefined
          }
          onClick={() => passkey.mutate()}
        >
          <Trans>Use a passkey</Trans>
        </Button>
      )}
      {factors.includes("totp") && <CodeForm key="totp" kind="totp" {...words} />}
      {factors.includes("recovery") && (
        <Button look="quiet" onClick={() => setRecovery(true)}>
          <Trans>Use a recovery code</Trans>
        </Button>
      )}
    </>
  );
}
