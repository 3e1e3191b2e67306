import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { PasswordField } from "#components/password/password-field.tsx";
import { PasswordRuleList } from "#components/password/password-rule-list.tsx";
import { toPasswordRules } from "#components/password/password-rules.view-model.ts";
import { RequestError } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { FormSummary } from "./form-summary.tsx";
import { findNewPasswordProblems } from "./sign-in-form.view-model.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useSignInForm } from "./use-sign-in-form.ts";

export type ResetPasswordProps = {
  issuer: string;
  /** From the link of the mail. */
  token: string;
  onDone: () => Promise<void>;
  /** The link no longer works, so the person has to request a new one. */
  onAskAgain: () => void;
};

/** Sets a new password through the link of a mail. */
export function ResetPassword({ issuer, token, onDone, onAskAgain }: ResetPasswordProps) {
  const { json, config } = usePlatform();
  const { lengthMin } = config.identity.passwordRules;
  const [password, setPassword] = useState("");
  const [isDead, setDead] = useState(false);
  const form = useSignInForm({
    findProblems: (values) =>
      findNewPasswordProblems({ email: "", password: values.password, lengthMin }),
    send: async (values) => {
      try {
        await json({
          method: "POST",
          url: `${issuer}/password/reset`,
          body: { token, password: values.password },
        });
      } catch (cause) {
        setDead(cause instanceof RequestError && cause.code === "LINK_INVALID");
        throw cause;
      }
      await onDone();
    },
  });
  return (
    <SignInFrame
      title={t`Choose a new password`}
      purpose={t`This signs you out on every device, including this one.`}
    >
      <form {...form.formProps} className="flex flex-col gap-4">
        <FormSummary
          title={t`Your password was not changed`}
          messages={form.messages}
          fields={form.fields}
        />
        <PasswordField
          label={t`New password`}
          autoComplete="new-password"
          error={form.fields.password}
          onValueChange={setPassword}
        />
        <PasswordRuleList rules={toPasswordRules(password, { email: "", lengthMin }).slice(0, 1)} />
        <Button
          type={form.buttonType}
          look={isDead ? "secondary" : "primary"}
          className="w-full"
          progress={form.isPending ? t`Saving…` : undefined}
        >
          <Trans>Save password</Trans>
        </Button>
      </form>
      {isDead && (
        <Button look="primary" className="w-full" onClick={onAskAgain}>
          <Trans>Send me a new link</Trans>
        </Button>
      )}
    </SignInFrame>
  );
}
