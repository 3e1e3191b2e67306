import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link, useNavigate, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { usePageTitle } from "#components/use-page-title.ts";
import type { MailLink } from "#platform/arrivals.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { SecondStep } from "#platform/session/session.ts";
import { AddressNotice } from "./address-notice.tsx";
import { ArrivalNotice } from "./arrival-notice.tsx";
import { CompleteRedirect } from "./complete-redirect.tsx";
import { ConfirmEmail } from "./confirm-email.tsx";
import { EmulatorNotice } from "./firebase/emulator-notice.tsx";
import { GoogleButton } from "./firebase/google-button.tsx";
import { ForgotPassword, NoMailNotice } from "./forgot-password.tsx";
import { Notice } from "./notice.tsx";
import { OrLine, ProviderButtons } from "./provider-buttons.tsx";
import { toRefusalMessage } from "./refusal.view-model.ts";
import { ResetPassword } from "./reset-password.tsx";
import { LazySecondStep } from "./second-step/lazy-second-step.tsx";
import { PasskeyButton } from "./second-step/passkey-button.tsx";
import { parseSignInAddress, type SignInAddress } from "./sign-in-address.ts";
import { SignInForm, type SignInFormProps } from "./sign-in-form.tsx";
import { NoScriptNotice, SignInFrame } from "./sign-in-frame.tsx";
import { toSignInHead } from "./sign-in-head.view-model.ts";
import { SignedOutNotice } from "./signed-out-notice.tsx";
import { SsoSignIn } from "./sso-sign-in.tsx";
import { useInvitation } from "./use-invitation.ts";
import { useProviders } from "./use-providers.ts";

/** Rarely needed: it loads by itself. */
const MoveAddress = lazy(async () => ({
  default: (await import("./move-address.tsx")).MoveAddress,
}));

/** The page's content: what its address requested, or what the person chose from there. */
type View =
  | SignInAddress
  | MailLink
  | { kind: "forgot"; email: string }
  | { kind: "second_step"; step: SecondStep }
  | { kind: "done"; message: string };

/** `/login`: the form, and the target of links in mails and from providers. */
export function LoginPage() {
  const { config, session, json } = usePlatform();
  const { builtIn, hasForm } = useProviders();
  const navigate = useNavigate();
  const { view, show, url, answerMail } = useAddressedView();
  usePageTitle(toSignInHead("login", config.brand).title);

  const showForm = () => show({ kind: "form" });
  if (view.kind === "callback") {
    return <CompleteRedirect url={url} onBack={showForm} />;
  }
  if (view.kind === "forgot" && hasForm) {
    const sendReset = async (email: string): Promise<void> => {
      if (builtIn === undefined) {
        await session.firebase?.sendResetMail(email);
      } else {
        await json({
          method: "POST",
          url: `${builtIn.issuer}/password/forgot`,
          body: { email },
        });
      }
    };
    return (
      <ForgotPassword send={sendReset} email={view.email} onBack={showForm}>
        {builtIn !== undefined && !config.mail.delivers && <NoMailNotice />}
      </ForgotPassword>
    );
  }
  if (builtIn !== undefined) {
    const { issuer } = builtIn;
    if (view.kind === "second_step") {
      return <LazySecondStep step={view.step} onBack={showForm} />;
    }
    if (view.kind === "sso") {
      return <SsoSignIn email={view.email} tenant={view.tenant} onBack={showForm} />;
    }
    if (view.kind === "reset") {
      return (
        <ResetPassword
          issuer={issuer}
          token={view.token}
          onDone={async () => {
            if (session.getState().user !== undefined) {
              await session.signOut();
            }
            show({
              kind: "done",
              message: t`Your password was changed. Sign in with the new one.`,
            });
          }}
          onAskAgain={() => show({ kind: "forgot", email: "" })}
        />
      );
    }
    if (view.kind === "change-email" || view.kind === "undo-email") {
      return (
        <Suspense>
          <MoveAddress
            issuer={issuer}
            token={view.token}
            kind={view.kind}
            onDone={async (resetToken) => {
              if (resetToken !== undefined) {
                show({ kind: "reset", token: resetToken });
              } else if (session.getState().user === undefined) {
                show({ kind: "done", message: t`Your address was changed. Sign in with it.` });
              } else {
                await session.renew();
                answerMail();
                await navigate({ to: "/account" });
              }
            }}
            onSignIn={showForm}
          />
        </Suspense>
      );
    }
    if (view.kind === "confirm") {
      return (
        <ConfirmEmail
          issuer={issuer}
          token={view.token}
          onConfirmed={answerMail}
          onDone={() =>
            show({ kind: "done", message: t`Your address is confirmed. You can sign in now.` })
          }
          onSignIn={showForm}
          onForgot={() => show({ kind: "forgot", email: "" })}
        />
      );
    }
  }
  return (
    <SignInCard
      view={view}
      onForgot={(email) => show({ kind: "forgot", email })}
      onSso={(email) => show({ kind: "sso", email, tenant: "" })}
      onSecondStep={(step) => show({ kind: "second_step", step })}
    />
  );
}

/** Reads what the address requests, and removes it from the address and the history: it can be used once. */
function useAddressedView() {
  const router = useRouter();
  const navigate = useNavigate();
  const { arrivals } = usePlatform();
  const [{ view, url }, setShown] = useState<{ view: View; url: string }>(() => {
    const { searchStr, href } = router.state.location;
    return {
      view: arrivals.getMailLink() ?? parseSignInAddress(searchStr),
      url: new URL(href, router.origin).href,
    };
  });
  // The outside system is the address bar.
  useEffect(() => {
    if (router.state.location.searchStr !== "") {
      void navigate({ to: "/login", search: {}, replace: true });
    }
  }, [navigate, router]);
  return {
    view,
    url,
    /** From now on the page redirects people who are signed in. */
    answerMail: () => arrivals.forgetMailLink(),
    show: (next: View) => {
      setShown({ view: next, url });
      if (!["forgot", "sso", "second_step"].includes(next.kind)) {
        arrivals.forgetMailLink();
      }
      if (next.kind === "form") {
        // A signed-in person does not need the form and is redirected.
        void router.invalidate();
      }
    },
  };
}

type SignInCardProps = {
  view: View;
  onForgot: (email: string) => void;
  onSso: (email: string) => void;
  onSecondStep: SignInFormProps["onSecondStep"];
};

function SignInCard({ view, onForgot, onSso, onSecondStep }: SignInCardProps) {
  const { config, session } = usePlatform();
  const { builtIn, others, firebase, hasForm } = useProviders();
  const hasGoogle = firebase?.methods.includes("google") === true;
  const { preview } = useInvitation();
  // The answer to a sign-out is good for one reading, also where the page renders twice.
  const [signedOutAt] = useState(() =>
    view.kind === "signed_out" ? session.completeSignOut(view.state) : undefined,
  );
  return (
    <SignInFrame
      title={t`Sign in to ${config.brand.name}`}
      aside={
        hasForm && (
          <Trans>
            No account yet? <Link to="/register">Create one</Link>
          </Trans>
        )
      }
    >
      <AddressNotice />
      <ArrivalNotice />
      <SignedOutNotice signedOutAt={signedOutAt} />
      {view.kind === "refused" && (
        <Notice tone="danger" title={t`You are not signed in`}>
          {toRefusalMessage(view.code)}
        </Notice>
      )}
      {view.kind === "done" && <Notice tone="ok">{view.message}</Notice>}
      <EmulatorNotice />
      {hasForm && (
        <SignInForm
          invitedEmail={preview?.email}
          onForgot={onForgot}
          onSso={builtIn === undefined ? undefined : onSso}
          onSecondStep={onSecondStep}
          takesPasskeys={builtIn !== undefined}
        />
      )}
      {builtIn !== undefined && <PasskeyButton />}
      {hasForm && (others.length > 0 || hasGoogle) && <OrLine />}
      {hasGoogle && <GoogleButton isOnlyWay={!hasForm && others.length === 0} />}
      {others.length > 0 && <ProviderButtons providers={others} />}
      <NoScriptNotice />
    </SignInFrame>
  );
}
