import { queryOptions } from "@tanstack/react-query";
import type { Ask } from "#components/second-factor/factor-calls.ts";
import type { JsonClient } from "#platform/json-client.ts";

/** A person's second factors, as the built-in provider tells them; instants in ISO 8601. */
export type Factors = {
  accountId: string;
  email: string;
  isRequired: boolean;
  totp: { createdAt: string; lastUsedAt: string | null } | null;
  passkeys: readonly {
    passkeyId: string;
    name: string;
    createdAt: string;
    lastUsedAt: string | null;
  }[];
  recoveryCodesLeft: number;
};

/** What shows that the person at the page is the owner. */
export type Proof = { password: string } | { code: string } | { passkey: object };

export const FACTORS_KEY = ["second-factors"] as const;

export const factorsQuery = (json: JsonClient, issuer: string) =>
  queryOptions({
    queryKey: FACTORS_KEY,
    queryFn: async ({ signal }) =>
      (await json({ method: "GET", url: `${issuer}/factors`, signal })) as Factors,
    retry: false,
  });

/** The calls of this page at the built-in provider, which go by the session of this browser there. */
export function createAsk(json: JsonClient, issuer: string): Ask {
  return async (step, body) =>
    await json({ method: "POST", url: `${issuer}/factors/${step}`, body });
}
