import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { TextField } from "@turnpike/ui/text-field";
import { type ChangeEvent, useState } from "react";
import { PasswordField } from "#components/password/password-field.tsx";
import { PasswordRuleList } from "#components/password/password-rule-list.tsx";
import { toPasswordRules } from "#components/password/password-rules.view-model.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { SecondStep } from "#platform/session/session.ts";
import { FormSummary } from "./form-summary.tsx";
import { EmailField } from "./sign-in-form.tsx";
import { findRegistrationProblems } from "./sign-in-form.view-model.ts";
import { TermsNote } from "./sign-in-frame.tsx";
import { useSignInForm } from "./use-sign-in-form.ts";

export type RegisterFormProps = {
  /** The address of the invitation that the person follows; only an account with this address can accept it. */
  invitedEmail: string | undefined;
  /** The person comes to work in a tenant of their own, rather than by an invitation or the setup link. */
  asksForTenant: boolean;
  onConfirmationSent: (email: string) => void;
  /** The account is there, and needs a second factor first. */
  onSecondStep: (step: SecondStep) => void;
};

/** Creates an account with the built-in provider. */
export function RegisterForm(props: RegisterFormProps) {
  const { invitedEmail } = props;
  const { session, config, arrivals } = usePlatform();
  const { lengthMin } = config.identity.passwordRules;
  const [typed, setTyped] = useState({ email: "", password: "" });
  const form = useSignInForm({
    findProblems: (values) => findRegistrationProblems({ ...values, lengthMin }),
    send: async ({ email, password, name, tenantName }) => {
      arrivals.keepFor(email);
      arrivals.keepTenantName(tenantName, email);
      const outcome = await session.register({
        email,
        password,
        ...(name === "" ? {} : { name }),
      });
      if (outcome === "confirmation_sent") {
        props.onConfirmationSent(email);
      }
      if (typeof outcome === "object") {
        props.onSecondStep(outcome);
      }
    },
  });

  function follow({ target }: ChangeEvent<HTMLFormElement>): void {
    // The fields are uncontrolled; this state only feeds the list of rules.
    const field: unknown = target;
    if (
      field instanceof HTMLInputElement &&
      (field.name === "email" || field.name === "password")
    ) {
      setTyped((before) => ({ ...before, [field.name]: field.value }));
    }
  }

  return (
    <form {...form.formProps} onChange={follow} className="flex flex-col gap-4">
      <FormSummary
        title={t`The account was not created`}
        messages={form.messages}
        fields={form.fields}
      />
      <TextField
        label={t`Name`}
        name="name"
        autoComplete="name"
        maxLength={100}
        isOptional
        error={form.fields.name}
      />
      {props.asksForTenant && (
        <div className="in-data-arrival:hidden">
          <TextField
            label={t`Company or project`}
            name="tenantName"
            autoComplete="organization"
            maxLength={100}
            help={t`Your API keys and plan will be under this name. You can change it later.`}
            isOptional
          />
        </div>
      )}
      <EmailField
        // Text typed before the invitation loaded is replaced by its address.
        key={invitedEmail}
        defaultValue={invitedEmail ?? ""}
        isReadOnly={invitedEmail !== undefined}
        help={invitedEmail === undefined ? undefined : t`The invitation is for this address.`}
        error={form.fields.email}
      />
      <PasswordField label={t`Password`} autoComplete="new-password" error={form.fields.password} />
      <PasswordRuleList
        rules={toPasswordRules(typed.password, { email: invitedEmail ?? typed.email, lengthMin })}
      />
      <Button
        type={form.buttonType}
        look="primary"
        className="w-full"
        progress={form.isPending ? t`Creating your account…` : undefined}
      >
        <Trans>Create account</Trans>
      </Button>
      <TermsNote />
    </form>
  );
}
