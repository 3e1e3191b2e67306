import type { JWK, JWTPayload } from "jose";
import type { Outbound } from "#platform/outbound.ts";
import { type FirebaseProject, trustFirebase } from "../firebase/trust-firebase.ts";
import { createIssuerKeys, type IssuerKeysDeps, type KeyFinder } from "./issuer-keys.ts";
import { createPublishedKeys } from "./published-keys.ts";

/**
 * The issuer under which people of the built-in provider are stored. It is not the address: a new public address of the
 * installation must not turn everyone into a new person.
 */
export const BUILTIN_ISSUER = "builtin";

/** By which claims an issuer's tokens say that a second factor was used: one value of either list. */
export type SecondFactorClaims = { amr: readonly string[]; acr: readonly string[] };

/** An issuer whose tokens identify people. */
export type TrustedIssuer = {
  /** The issuer in its tokens, compared exactly. */
  issuer: string;
  /** The issuer under which its people are stored. */
  storedAs: string;
  /** The audience that its tokens must name. */
  clientId: string;
  findKey: KeyFinder;
  /** The algorithms that it signs with; left out: any that a key can be published for. */
  algorithms?: readonly string[];
  /** Left out: its tokens prove no second factor. */
  secondFactorClaims?: SecondFactorClaims | undefined;
  /** What its tokens must say beyond what every ID token must. @throws {Error} When one does not. */
  assertClaims?: (payload: JWTPayload, now: Date) => void;
};

/** The built-in provider. Its keys are in this process, so nothing is fetched. */
export type BuiltinProvider = { issuer: string; clientId: string; publicKeys(): readonly JWK[] };

/** Lists the trusted issuers: the built-in provider, if there is one, and those of the configuration. */
export function createTrustedIssuers(
  deps: Omit<IssuerKeysDeps, "outbound"> & { outbound: Outbound },
  input: {
    builtin: BuiltinProvider | undefined;
    providers: readonly {
      issuer: string;
      clientId: string;
      secondFactorClaims?: SecondFactorClaims | undefined;
    }[];
    /** A project of Firebase; undefined: its tokens are not trusted. */
    firebase?: FirebaseProject | undefined;
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
  const others = input.providers.map(({ issuer, clientId, secondFactorClaims }) => ({
    issuer,
    storedAs: issuer,
    clientId,
    secondFactorClaims,
    findKey: createIssuerKeys(deps, { issuer }),
  }));
  const firebase = input.firebase === undefined ? [] : [trustFirebase(deps, input.firebase)];
  return [...own, ...others, ...firebase];
}
