import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { usePageTitle } from "#components/use-page-title.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { SecondStep } from "#platform/session/session.ts";
import { AddressNotice } from "./address-notice.tsx";
import { ArrivalNotice } from "./arrival-notice.tsx";
import { EmulatorNotice } from "./firebase/emulator-notice.tsx";
import { GoogleButton } from "./firebase/google-button.tsx";
import { NoMailNotice } from "./forgot-password.tsx";
import { Notice } from "./notice.tsx";
import { OrLine, ProviderButtons } from "./provider-buttons.tsx";
import { RegisterForm } from "./register-form.tsx";
import { LazySecondStep } from "./second-step/lazy-second-step.tsx";
import { NoScriptNotice, SignInFrame, TermsNote } from "./sign-in-frame.tsx";
import { toSignInHead } from "./sign-in-head.view-model.ts";
import { useArrivalOnceShown, useInvitation } from "./use-invitation.ts";
import { useProviders } from "./use-providers.ts";

/** `/register`: creates an account, in any way that this deployment offers. */
export function RegisterPage() {
  const { config } = usePlatform();
  const { others, firebase, hasForm } = useProviders();
  const hasGoogle = firebase?.methods.includes("google") === true;
  const { preview, isBrought: isInvited } = useInvitation();
  const isSetup = useArrivalOnceShown("setup") !== undefined;
  const [sentTo, setSentTo] = useState<string>();
  const [secondStep, setSecondStep] = useState<SecondStep>();
  usePageTitle(toSignInHead("register", config.brand).title);

  if (secondStep !== undefined) {
    return <LazySecondStep step={secondStep} onBack={() => setSecondStep(undefined)} />;
  }
  if (sentTo !== undefined) {
    return (
      <ConfirmationSent
        email={sentTo}
        backLabel={preview === undefined ? t`Use another address` : t`Back`}
        onBack={() => setSentTo(undefined)}
      />
    );
  }
  return (
    <SignInFrame
      title={t`Create your account`}
      aside={
        <Trans>
          Already have an account? <Link to="/login">Sign in</Link>
        </Trans>
      }
    >
      <AddressNotice />
      <ArrivalNotice />
      <EmulatorNotice />
      {hasGoogle && <GoogleButton isOnlyWay={!hasForm && others.length === 0} />}
      {others.length > 0 && <ProviderButtons providers={others} />}
      {hasForm && (others.length > 0 || hasGoogle) && <OrLine />}
      {hasForm ? (
        <RegisterForm
          invitedEmail={preview?.email}
          asksForTenant={!isInvited && !isSetup}
          onConfirmationSent={setSentTo}
          onSecondStep={setSecondStep}
        />
      ) : (
        <TermsNote />
      )}
      <NoScriptNotice />
    </SignInFrame>
  );
}

/** The text is the same whether or not the address was taken: the mail informs its owner. */
function ConfirmationSent(props: { email: string; backLabel: string; onBack: () => void }) {
  const { email, backLabel, onBack } = props;
  const { config } = usePlatform();
  return (
    <SignInFrame
      title={t`Check your inbox`}
      aside={
        <Trans>
          Already confirmed? <Link to="/login">Sign in</Link>
        </Trans>
      }
    >
      <Notice tone="ok">
        <Trans>
          We sent a link to {email}. Follow it within 24 hours to confirm that the address is yours;
          then sign in.
        </Trans>
      </Notice>
      {!config.mail.delivers && <NoMailNotice />}
      <Button className="w-full" onClick={onBack}>
        {backLabel}
      </Button>
    </SignInFrame>
  );
}
