import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { RequestError } from "./error-message.ts";
import { usePlatform } from "./platform.tsx";
import type { User } from "./session/session.ts";
import { VERIFIED_USER_KEY, verifyUser } from "./verified-user.ts";

/** What everybody may see; every other query belongs to the person who is signed in. */
const PUBLIC_QUERIES: readonly unknown[] = ["client-config", "page-content"];

export type Verification = {
  isDone: boolean;
  /** Why it failed, as a sentence; undefined unless it did. */
  failure: string | undefined;
  retry: () => void;
};

/**
 * Has the service verify each person who appears. The answer is logged to the browser's console and kept where
 * `useVerifiedUser` finds it.
 *
 * @see spec.md §4 and §7.
 */
export function useVerification(user: User | undefined): Verification {
  const { json, config } = usePlatform();
  const client = useQueryClient();
  const { mutate, reset, isSuccess, isError, error } = useMutation({
    mutationKey: ["auth", "verify"],
    mutationFn: async (person: User) => {
      const verify = async () =>
        await verifyUser({ json, apiUrl: config.urls.api, idToken: await person.getIdToken() });
      return await verify().catch(async (cause: unknown) => {
        if (cause instanceof RequestError && cause.status === 401) {
          // The token is in the body as well, and may have been renewed since it was put there.
          return await verify();
        }
        throw cause;
      });
    },
    onSuccess: (answer) => {
      // biome-ignore lint/suspicious/noConsole: spec.md §7 has the answer logged to the console; it holds no secret.
      console.log(answer);
      client.setQueryData(VERIFIED_USER_KEY, answer);
    },
  });
  const retry = () => {
    if (user !== undefined) {
      mutate(user);
    }
  };
  // The outside systems are the identity provider, where a person appears, and the service, which verifies them.
  useEffect(() => {
    if (user === undefined) {
      reset();
    } else {
      mutate(user);
    }
  }, [user, mutate, reset]);
  return {
    isDone: isSuccess,
    failure: isError ? error.message : undefined,
    retry,
  };
}

/** Forgets what the person who is gone has seen. */
export function forgetPrivateQueries(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => !PUBLIC_QUERIES.includes(queryKey[0]) });
}
