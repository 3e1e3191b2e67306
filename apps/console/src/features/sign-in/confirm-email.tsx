import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { PasswordField } from "#components/password/password-field.tsx";
import { RequestError } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { FormSummary } from "./form-summary.tsx";
import { findPasswordProblems } from "./sign-in-form.view-model.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useSignInForm } from "./use-sign-in-form.ts";

export type ConfirmEmailProps = {
  issuer: string;
  /** From the link of the mail. */
  token: string;
  /** The address is confirmed, and the person is being signed in. */
  onConfirmed: () => void;
  /** The address is confirmed, and the person has to sign in. */
  onDone: () => void;
  /** The link no longer works, perhaps because it was used. */
  onSignIn: () => void;
  /** The person does not know the password of the registration, perhaps because someone else registered. */
  onForgot: () => void;
};

/**
 * Confirms an address and signs in. It asks for the password of the registration because the link only proves who reads the
 * mail, and a stranger may have registered that person's address.
 */
export function ConfirmEmail({
  issuer,
  token,
  onConfirmed,
  onDone,
  onSignIn,
  onForgot,
}: ConfirmEmailProps) {
  const { json, session } = usePlatform();
  const [isDead, setDead] = useState(false);
  const form = useSignInForm({
    findProblems: findPasswordProblems,
    send: async ({ password }) => {
      const url = `${issuer}/email/confirm`;
      const answer = await json({ method: "POST", url, body: { token, password } }).catch(
        (cause: unknown) => {
          setDead(cause instanceof RequestError && cause.code === "LINK_INVALID");
          throw cause;
        },
      );
      onConfirmed();
      // The address is confirmed, whether or not signing in works.
      await session.signIn({ email: toEmail(answer), password }).catch(onDone);
    },
  });
  return (
    <SignInFrame
      title={t`Confirm your e-mail address`}
      purpose={t`Enter the password you chose when you registered, and your account is ready to use.`}
    >
      <form {...form.formProps} className="flex flex-col gap-4">
        <FormSummary
          title={t`Your address was not confirmed`}
          messages={
            isDead
              ? [...form.messages, t`If you have already confirmed it, just sign in.`]
              : form.messages
          }
          fields={form.fields}
        />
        <div>
          <PasswordField
            label={t`Password`}
            autoComplete="current-password"
            error={form.fields.password}
          />
          <button
            type="button"
            onClick={onForgot}
            className="mt-2 inline-flex cursor-pointer items-center rounded-control text-ink-muted text-xs underline decoration-line-control underline-offset-3 hover:text-ink touch:min-h-11"
          >
            <Trans>Forgot it, or did someone else register?</Trans>
          </button>
        </div>
        <Button
          type={form.buttonType}
          look={isDead ? "secondary" : "primary"}
          className="w-full"
          progress={form.isPending ? t`Confirming…` : undefined}
        >
          <Trans>Confirm address</Trans>
        </Button>
      </form>
      {isDead && (
        <Button look="primary" className="w-full" onClick={onSignIn}>
          <Trans>Sign in</Trans>
        </Button>
      )}
    </SignInFrame>
  );
}

/** The confirmed address; empty when the response names none. */
function toEmail(answer: unknown): string {
  const email =
    typeof answer === "object" && answer !== null && "email" in answer ? answer.email : "";
  return typeof email === "string" ? email : "";
}
