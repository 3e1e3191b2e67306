import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { type ReactNode, useState } from "react";
import { FormSummary } from "./form-summary.tsx";
import { Notice } from "./notice.tsx";
import { EmailField } from "./sign-in-form.tsx";
import { findEmailProblems } from "./sign-in-form.view-model.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useSignInForm } from "./use-sign-in-form.ts";

export type ForgotPasswordProps = {
  /** Has the provider send the link. */
  send: (email: string) => Promise<void>;
  email: string;
  onBack: () => void;
  /** Why the link may not come, where there is such a reason. */
  children?: ReactNode;
};

/** Requests a link by mail. The answer is the same whether or not the account exists. */
export function ForgotPassword({ send, email, onBack, children }: ForgotPasswordProps) {
  const [sentTo, setSentTo] = useState<string>();
  const form = useSignInForm({
    findProblems: findEmailProblems,
    send: async (values) => {
      await send(values.email);
      setSentTo(values.email);
    },
  });
  const back = (
    <Button look={sentTo === undefined ? "quiet" : "primary"} className="w-full" onClick={onBack}>
      <Trans>Back to sign in</Trans>
    </Button>
  );
  if (sentTo !== undefined) {
    return (
      <SignInFrame title={t`Check your inbox`}>
        <Notice tone="ok">
          <Trans>
            If there is an account for {sentTo}, a link to choose a new password is on its way. It
            works for one hour.
          </Trans>
        </Notice>
        {children}
        {back}
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title={t`Forgot your password?`}
      purpose={t`Enter your address and we will send you a link to choose a new one.`}
    >
      <form {...form.formProps} className="flex flex-col gap-4">
        <FormSummary title={t`No link was sent`} messages={form.messages} fields={form.fields} />
        <EmailField defaultValue={email} error={form.fields.email} />
        <Button
          type={form.buttonType}
          look="primary"
          className="w-full"
          progress={form.isPending ? t`Sending…` : undefined}
        >
          <Trans>Send link</Trans>
        </Button>
      </form>
      {back}
    </SignInFrame>
  );
}

/** Shown when mails are stored instead of sent, so that no one waits for one. */
export function NoMailNotice() {
  return (
    <Notice tone="info">
      <Trans>
        This installation does not send e-mail yet. Ask its operator for the link: it is in the
        outbox.
      </Trans>
    </Notice>
  );
}
