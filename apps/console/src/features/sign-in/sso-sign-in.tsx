import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { usePlatform } from "#platform/platform.tsx";
import { FormSummary } from "./form-summary.tsx";
import { EmailField } from "./sign-in-form.tsx";
import { findEmailProblems } from "./sign-in-form.view-model.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useSignInForm } from "./use-sign-in-form.ts";

export type SsoSignInProps = {
  email: string;
  /** The slug of the tenant whose link the person followed; empty: their address says which. */
  tenant: string;
  onBack: () => void;
};

/** Leaves for the identity provider of the person's organization. */
export function SsoSignIn({ email, tenant, onBack }: SsoSignInProps) {
  const { session } = usePlatform();
  const isOfTenant = tenant !== "";
  const form = useSignInForm({
    findProblems: isOfTenant ? () => ({}) : findEmailProblems,
    send: async (values) =>
      await session.startSso(isOfTenant ? { tenant } : { email: values.email }),
  });
  return (
    <SignInFrame
      title={t`Single sign-on`}
      purpose={
        isOfTenant
          ? t`Sign in to ${tenant} at your organization's identity provider.`
          : t`Enter your work address and continue at your organization's identity provider.`
      }
    >
      <form {...form.formProps} className="flex flex-col gap-4">
        <FormSummary
          title={t`Single sign-on could not start`}
          messages={form.messages}
          fields={form.fields}
        />
        {!isOfTenant && <EmailField defaultValue={email} error={form.fields.email} />}
        <Button
          type={form.buttonType}
          look="primary"
          className="w-full"
          progress={form.isPending ? t`Going there…` : undefined}
        >
          <Trans>Continue</Trans>
        </Button>
      </form>
      <Button look="quiet" className="w-full" onClick={onBack}>
        <Trans>Back to sign in</Trans>
      </Button>
    </SignInFrame>
  );
}
