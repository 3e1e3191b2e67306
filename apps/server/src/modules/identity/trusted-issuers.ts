import type { JWK } from "jose";
import type { Outbound } from "#platform/outbound.ts";
import { createIssuerKeys, type IssuerKeysDeps, type KeyFinder } from "./issuer-keys.ts";
import { createPublishedKeys } from "./published-keys.ts";

/**
 * The name under which people of the built-in provider are stored. Not its address: whoever changes the public address of
 * an installation must not turn everybody into somebody else.
 */
export const BUILTIN_ISSUER = "builtin";

/** Somebody who may vouch for people. */
export type TrustedIssuer = {
  /** As its tokens name it, compared exactly. */
  issuer: string;
  /** As its people are stored. */
  storedAs: string;
  /** Whom its tokens must be for. */
  clientId: string;
  findKey: KeyFinder;
};

/** The built-in provider: its keys are in this process, so nothing is fetched. */
export type BuiltinProvider = { issuer: string; clientId: string; publicKeys(): readonly JWK[] };

/** Lists whose tokens are believed: the built-in provider, if there is one, and those of the configuration. */
export function createTrustedIssuers(
  deps: Omit<IssuerKeysDeps, "outbound"> & { outbound: Outbound },
  input: {
    builtin: BuiltinProvider | undefined;
    providers: readonly { issuer: string; clientId: string }[];
  },
): TrustedIssuer[] {
  const { builtin } = input;
  const own =
    builtin === undefined
      ? []
      : [
          {
            issuer: builtin.issuer,
            storedAs: BUILTIN_ISSUER,
            clientId: builtin.clientId,
            findKey: createPublishedKeys(() => builtin.publicKeys()),
          },
        ];
  const others = input.providers.map(({ issuer, clientId }) => ({
    issuer,
    storedAs: issuer,
    clientId,
    findKey: createIssuerKeys(deps, issuer),
  }));
  return [...own, ...others];
}
