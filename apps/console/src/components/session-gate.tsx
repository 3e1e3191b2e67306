import { t } from "@lingui/core/macro";
import { lazy, type ReactNode, Suspense } from "react";
import { useAuth, usePlatform } from "#platform/platform.tsx";
import { useVerification } from "#platform/verification.ts";
import { FullScreenFailure } from "./full-screen-failure.tsx";
import { FullScreenSpinner } from "./full-screen-spinner.tsx";
import { TakeEffect } from "./take-effect.tsx";

const LapsedSession = lazy(async () => ({
  default: (await import("./lapsed-session.tsx")).LapsedSession,
}));

/** Shows the page once it is known who is signed in, and has the service verify each person who appears. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { session } = usePlatform();
  const { isLoading, user, trouble, hasLapsed } = useAuth();
  const verification = useVerification(user);
  const signOut = () => void session.signOut();

  if (isLoading) {
    return trouble === undefined ? (
      <FullScreenSpinner />
    ) : (
      <FullScreenFailure
        title={t`Signing in is not possible right now`}
        what={trouble}
        onRetry={session.retry}
        onSignOut={signOut}
      />
    );
  }
  if (user !== undefined && verification.failure !== undefined && hasLapsed !== true) {
    return (
      <FullScreenFailure
        title={t`You are signed in, but the service could not verify you`}
        what={verification.failure}
        onRetry={verification.retry}
        onSignOut={signOut}
      />
    );
  }
  return (
    <>
      {user !== undefined && verification.isDone && <TakeEffect />}
      {children}
      {user !== undefined && hasLapsed === true && (
        <Suspense fallback={null}>
          <LapsedSession providerId={user.providerId} />
        </Suspense>
      )}
    </>
  );
}
