import type { ReactNode } from "react";
import { useAuth, usePlatform } from "#platform/platform.tsx";
import { useVerification } from "#platform/verification.ts";
import { FullScreenFailure } from "./full-screen-failure.tsx";
import { FullScreenSpinner } from "./full-screen-spinner.tsx";
import { TakeEffect } from "./take-effect.tsx";

/** Shows the page once it is known who is signed in, and has the service verify each person who appears. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { session } = usePlatform();
  const { isLoading, user, trouble } = useAuth();
  const verification = useVerification(user);
  const signOut = () => void session.signOut();

  if (isLoading) {
    return trouble === undefined ? (
      <FullScreenSpinner />
    ) : (
      <FullScreenFailure
        title="Signing in is not possible right now"
        what={trouble}
        onRetry={session.retry}
        onSignOut={signOut}
      />
    );
  }
  if (user !== undefined && verification.failure !== undefined) {
    return (
      <FullScreenFailure
        title="You are signed in, but the service could not verify you"
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
    </>
  );
}
