import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { VerifyTokenResponse } from "@turnpike/contract/auth";
import type { JsonClient } from "./json-client.ts";
import { usePlatform } from "./platform.tsx";

/** What the service says about who is signed in: the person and their tenants. */
export type VerifiedUser = VerifyTokenResponse;

export const VERIFIED_USER_KEY = ["auth", "verified-user"] as const;

export type VerifyInput = { json: JsonClient; apiUrl: string; idToken: string };

/** Shows the service the ID token of who is signed in. */
export async function verifyUser({ json, apiUrl, idToken }: VerifyInput): Promise<VerifiedUser> {
  const answer = await json({
    method: "POST",
    url: `${apiUrl}/auth/verify`,
    body: { token: idToken },
  });
  return assertVerifiedUser(answer);
}

/** What the last verification said, asked for again when it goes stale. */
export function verifiedUserQuery({ json, session, config }: ReturnType<typeof usePlatform>) {
  return queryOptions({
    queryKey: VERIFIED_USER_KEY,
    queryFn: async () => {
      const idToken = (await session.getIdToken()) ?? "";
      return await verifyUser({ json, apiUrl: config.urls.api, idToken });
    },
  });
}

/**
 * The person who is signed in and their tenants.
 *
 * @throws {Error} Outside of the signed-in layout, which waits for the verification.
 */
export function useVerifiedUser(): VerifiedUser {
  const { data } = useQuery(verifiedUserQuery(usePlatform()));
  if (data === undefined) {
    throw new Error("useVerifiedUser needs the signed-in layout above it");
  }
  return data;
}

/** Asks the service again who is signed in and where they belong, after a change such as a new tenant. */
export function useRefreshVerifiedUser(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: VERIFIED_USER_KEY });
}

/** The server's own contract, looked at once where the console depends on it. */
function assertVerifiedUser(answer: unknown): VerifiedUser {
  if (
    typeof answer === "object" &&
    answer !== null &&
    "user" in answer &&
    "tenants" in answer &&
    Array.isArray(answer.tenants)
  ) {
    return answer as VerifiedUser;
  }
  throw new Error("The service’s response about your account could not be read.");
}
