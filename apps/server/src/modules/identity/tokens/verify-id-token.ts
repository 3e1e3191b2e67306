import { decodeJwt, type JWTPayload, jwtVerify } from "jose";
import type { Clock } from "#platform/clock.ts";
import { toSessionId } from "./session-id.ts";
import {
  ClaimError,
  type TokenClaims,
  type TokenVerdict,
  toChecks,
  toClaims,
  toVerdict,
} from "./token-claims.ts";
import { BUILTIN_ISSUER, type SecondFactorClaims, type TrustedIssuer } from "./trusted-issuers.ts";

/** The claim of the built-in provider's ID tokens that names the browser's sign-in. No other issuer's is read. */
export const SIGN_IN_CLAIM = "sign_in";

/** Asymmetric algorithms only. The key must match the algorithm's type, so none can be tricked into using another. */
export const ALGORITHMS: readonly string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** True for a text in the form of a signed token. Keys contain no dots. */
export function isIdToken(credential: string): boolean {
  return credential.includes(".") && COMPACT.test(credential);
}

/**
 * Refuses a token that is also for someone else unless its issuer made it for us (OpenID Connect Core 1.0, section 3.1.3.7, steps 4
 * and 5), and other kinds of tokens, which an issuer may sign with the same key.
 */
function assertMadeForUs(input: { payload: JWTPayload; typ: unknown; clientId: string }): void {
  const { aud, azp } = input.payload;
  if (azp !== undefined ? azp !== input.clientId : Array.isArray(aud) && aud.length > 1) {
    throw new ClaimError("The token was made for another party.");
  }
  if (input.typ !== undefined && input.typ !== "JWT" && input.typ !== "jwt") {
    throw new ClaimError("The token is not an ID token.");
  }
  // Some issuers give no type to their logout tokens and events, and sign them with the same key for the same client.
  if (input.payload["events"] !== undefined) {
    throw new ClaimError("The token tells of an event, and is not an ID token.");
  }
}

/** The methods (RFC 8176) and the class of the sign-in, as the operator reads them. */
function provesSecondFactor(payload: JWTPayload, { amr, acr }: SecondFactorClaims): boolean {
  const { amr: methods, acr: level } = payload;
  return (
    (Array.isArray(methods) && methods.some((method) => amr.includes(method))) ||
    (typeof level === "string" && acr.includes(level))
  );
}

/**
 * Creates the only verifier of ID tokens. The issuer is taken from the list, never from the token: headers that point at keys (`jku`,
 * `x5u`, `jwk`, `x5c`) are ignored, and a critical extension is refused.
 */
export function createTokenVerifier(deps: {
  clock: Pick<Clock, "now">;
  issuers: readonly TrustedIssuer[];
}): (token: string) => Promise<TokenVerdict> {
  const issuers = new Map(deps.issuers.map((trusted) => [trusted.issuer, trusted]));

  async function verify(token: string): Promise<TokenClaims> {
    const trusted = issuers.get(decodeJwt(token).iss ?? "");
    if (trusted === undefined) {
      throw new ClaimError("The issuer is not trusted.");
    }
    const now = deps.clock.now();
    const { payload, protectedHeader } = await jwtVerify(token, trusted.findKey, {
      algorithms: [...(trusted.algorithms ?? ALGORITHMS)],
      ...toChecks(trusted, now),
    });
    trusted.assertClaims?.(payload, now);
    assertMadeForUs({ payload, typ: protectedHeader.typ, clientId: trusted.clientId });
    const { secondFactorClaims } = trusted;
    const claims: TokenClaims = {
      ...toClaims(payload, trusted.storedAs),
      ...(secondFactorClaims === undefined
        ? {}
        : { hasSecondFactor: provesSecondFactor(payload, secondFactorClaims) }),
    };
    if (trusted.storedAs === BUILTIN_ISSUER) {
      const signInId = payload[SIGN_IN_CLAIM];
      return typeof signInId === "string" ? { ...claims, signInId } : claims;
    }
    const sessionId = toSessionId(payload["sid"]);
    return sessionId === undefined ? claims : { ...claims, sessionId };
  }

  return (token) => toVerdict(() => verify(token));
}
