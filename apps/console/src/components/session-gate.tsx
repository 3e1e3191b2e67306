import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { useAuth, usePlatform } from "#platform/platform.tsx";
import type { User } from "#platform/session/session.ts";
import { VERIFIED_USER_KEY, verifyUser } from "#platform/verified-user.ts";
import { FullScreenFailure } from "./full-screen-failure.tsx";
import { FullScreenSpinner } from "./full-screen-spinner.tsx";
import { TakeEffect } from "./take-effect.tsx";

/** Shows the page once it is known who is signed in, and has the service verify each person who appears. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { session } = usePlatform();
  const { isLoading, user, trouble } = useAuth();
  if (isLoading) {
    return trouble === undefined ? (
      <FullScreenSpinner />
    ) : (
      <FullScreenFailure
        title="You cannot be signed in right now"
        what={trouble}
        onRetry={session.retry}
        onSignOut={() => void session.signOut()}
      />
    );
  }
  return user === undefined ? (
    children
  ) : (
    <VerifiedPage key={`${user.providerId} ${user.subject}`} user={user}>
      {children}
    </VerifiedPage>
  );
}

function VerifiedPage({ user, children }: { user: User; children: ReactNode }) {
  const { session, json, config } = usePlatform();
  const client = useQueryClient();
  const { mutate, isError, isPending, error, isSuccess } = useMutation({
    mutationKey: ["auth", "verify"],
    mutationFn: async () =>
      await verifyUser({ json, apiUrl: config.urls.api, idToken: await user.getIdToken() }),
    onSuccess: (answer) => {
      // biome-ignore lint/suspicious/noConsole: spec.md §7 has the answer logged to the console; it holds no secret.
      console.log(answer);
      client.setQueryData(VERIFIED_USER_KEY, answer);
    },
  });
  // The outside systems are the identity provider, where a person appeared, and the service, which is told of them.
  useEffect(() => {
    mutate();
    return () => {
      // What one person saw is nothing for the next.
      client.clear();
    };
  }, [mutate, client]);

  if (isError) {
    return (
      <FullScreenFailure
        title="You are signed in, but the service could not verify you"
        what={error.message}
        isRetrying={isPending}
        onRetry={() => mutate()}
        onSignOut={() => void session.signOut()}
      />
    );
  }
  return (
    <>
      {isSuccess && <TakeEffect />}
      {children}
    </>
  );
}
