import { Button } from "@turnpike/ui/button";
import { TextField } from "@turnpike/ui/text-field";
import { type ChangeEvent, useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { FormSummary } from "./form-summary.tsx";
import { PasswordField } from "./password-field.tsx";
import { PasswordRuleList } from "./password-rule-list.tsx";
import { toPasswordRules } from "./password-rules.view-model.ts";
import { EmailField } from "./sign-in-form.tsx";
import { findRegistrationProblems } from "./sign-in-form.view-model.ts";
import { TermsNote } from "./sign-in-frame.tsx";
import { useSignInForm } from "./use-sign-in-form.ts";

/** An account with the built-in provider. */
export function RegisterForm(props: { onConfirmationSent: (email: string) => void }) {
  const { session, config } = usePlatform();
  const { lengthMin } = config.identity.passwordRules;
  const [typed, setTyped] = useState({ email: "", password: "" });
  const form = useSignInForm({
    findProblems: (values) => findRegistrationProblems({ ...values, lengthMin }),
    send: async ({ email, password, name }) => {
      const outcome = await session.register({
        email,
        password,
        ...(name === "" ? {} : { name }),
      });
      if (outcome === "confirmation_sent") {
        props.onConfirmationSent(email);
      }
    },
  });

  function follow({ target }: ChangeEvent<HTMLFormElement>): void {
    // The fields keep what is typed; this is only for the rules that are shown as they are met.
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
        title="The account was not created"
        messages={form.messages}
        fields={form.fields}
      />
      <TextField
        label="Name"
        name="name"
        autoComplete="name"
        maxLength={100}
        isOptional
        error={form.fields.name}
      />
      <EmailField defaultValue="" error={form.fields.email} />
      <PasswordField label="Password" autoComplete="new-password" error={form.fields.password} />
      <PasswordRuleList rules={toPasswordRules(typed.password, { ...typed, lengthMin })} />
      <Button
        type={form.buttonType}
        look="primary"
        className="w-full"
        progress={form.isPending ? "Creating your account…" : undefined}
      >
        Create account
      </Button>
      <TermsNote />
    </form>
  );
}
