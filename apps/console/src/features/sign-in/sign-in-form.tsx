import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { TextField } from "@turnpike/ui/text-field";
import { PasswordField } from "#components/password/password-field.tsx";
import { RequestError } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { SecondStep } from "#platform/session/session.ts";
import { FormSummary } from "./form-summary.tsx";
import { usePasskeyAutofill } from "./second-step/use-passkey-autofill.ts";
import { findSignInProblems } from "./sign-in-form.view-model.ts";
import { useSignInForm } from "./use-sign-in-form.ts";

export type SignInFormProps = {
  /** The address of the invitation that the person follows; they may sign in with another. */
  invitedEmail: string | undefined;
  onForgot: (email: string) => void;
  /** Left undefined: no one's organization has a sign-in of its own here. */
  onSso: ((email: string) => void) | undefined;
  /** The password was right, and more is needed. */
  onSecondStep: (step: SecondStep) => void;
  /** True where a passkey signs people in: the browser then offers theirs at the address. */
  takesPasskeys: boolean;
};

/** The e-mail and password form of the built-in provider. */
export function SignInForm({
  invitedEmail,
  onForgot,
  onSso,
  onSecondStep,
  takesPasskeys,
}: SignInFormProps) {
  const { session, arrivals } = usePlatform();
  const passkeys = usePasskeyAutofill(takesPasskeys);
  const form = useSignInForm({
    findProblems: findSignInProblems,
    send: async ({ email, password }) => {
      arrivals.keepFor(email);
      passkeys.pause();
      const outcome = await session
        .signIn({ email, password })
        .catch(async (error: unknown): Promise<undefined> => {
          if (!(error instanceof RequestError && error.code === "SSO_REQUIRED")) {
            passkeys.resume();
            throw error;
          }
          await session.startSso({ email });
        });
      if (typeof outcome === "object") {
        onSecondStep(outcome);
      }
    },
  });
  return (
    <form {...form.formProps} className="flex flex-col gap-4">
      <FormSummary
        title={t`You are not signed in`}
        messages={passkeys.problem === undefined ? form.messages : [passkeys.problem]}
        fields={form.fields}
      />
      <EmailField
        autoComplete={takesPasskeys ? "username webauthn" : "username"}
        defaultValue={invitedEmail ?? ""}
        help={invitedEmail === undefined ? undefined : t`Your invitation is for ${invitedEmail}.`}
        error={form.fields.email}
      />
      <div>
        <PasswordField
          label={t`Password`}
          autoComplete="current-password"
          error={form.fields.password}
        />
        <button
          type="button"
          onClick={(event) => onForgot(readEmail(event.currentTarget.form))}
          className="mt-2 inline-flex cursor-pointer items-center rounded-control text-ink-muted text-xs underline decoration-line-control underline-offset-3 hover:text-ink touch:min-h-11"
        >
          <Trans>Forgot your password?</Trans>
        </button>
      </div>
      <Button
        type={form.buttonType}
        look="primary"
        className="w-full"
        progress={form.isPending ? t`Signing in…` : undefined}
      >
        <Trans>Sign in</Trans>
      </Button>
      {onSso !== undefined && (
        <Button
          look="secondary"
          className="w-full"
          onClick={(event) => onSso(readEmail(event.currentTarget.form))}
        >
          <Trans>Use single sign-on</Trans>
        </Button>
      )}
    </form>
  );
}

function readEmail(form: HTMLFormElement | null): string {
  const control = form?.elements.namedItem("email");
  return control instanceof HTMLInputElement ? control.value.trim() : "";
}

export type EmailFieldProps = {
  defaultValue: string;
  help?: string | undefined;
  error: string | undefined;
  isReadOnly?: boolean;
  autoComplete?: "username" | "username webauthn";
};

/** The name that password managers store the account under. Typed text stays when the default changes later. */
export function EmailField({
  defaultValue,
  help,
  error,
  isReadOnly = false,
  autoComplete = "username",
}: EmailFieldProps) {
  return (
    <TextField
      label={t`E-mail address`}
      name="email"
      type="email"
      inputMode="email"
      autoComplete={autoComplete}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      maxLength={254}
      required
      readOnly={isReadOnly}
      defaultValue={defaultValue}
      help={help}
      error={error}
    />
  );
}
