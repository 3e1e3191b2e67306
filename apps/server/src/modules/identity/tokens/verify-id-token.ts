import { AppError } from "@turnpike/domain/errors/app-error";
import { toPersonName } from "@turnpike/domain/text/person-name";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import type { Clock } from "#platform/clock.ts";
import type { TrustedIssuer } from "./trusted-issuers.ts";

/** The claims of a valid ID token. */
export type TokenClaims = {
  /** The stored issuer; together with `subject` the person's identity. */
  issuer: string;
  subject: string;
  /** Never an identity: two issuers may vouch for the same address. */
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  issuedAt: Date;
};

export type TokenVerdict =
  | { kind: "valid"; claims: TokenClaims }
  | { kind: "refused"; reason: "expired" | "invalid"; cause: unknown };

/** Asymmetric algorithms only. The key must match the algorithm's type, so none can be tricked into using another. */
const ALGORITHMS = [
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
/** The allowed difference between the issuer's clock and ours. */
const SKEW_SECONDS = 60;
/** The longest accepted lifetime of a token: a stolen one must expire, also when the issuer allows more. */
const AGE_MAX = "24 hours";
const SUBJECT_LENGTH_MAX = 255;

const address = z.email().max(320);

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** True for a text in the form of a signed token. Keys contain no dots. */
export function isIdToken(credential: string): boolean {
  return credential.includes(".") && COMPACT.test(credential);
}

class ClaimError extends Error {
  override readonly name = "ClaimError";
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
}

function toClaims(payload: JWTPayload, storedAs: string): TokenClaims {
  const { sub, iat, email, name } = payload;
  const isSubject =
    typeof sub === "string" &&
    sub.length > 0 &&
    sub.length <= SUBJECT_LENGTH_MAX &&
    isStorableText(sub);
  if (!isSubject || iat === undefined) {
    throw new ClaimError("The token has no subject.");
  }
  const mailbox = address.safeParse(email);
  return {
    issuer: storedAs,
    subject: sub,
    email: mailbox.success ? mailbox.data : null,
    // Only the boolean true counts: the text "false" would be truthy.
    emailVerified: mailbox.success && payload["email_verified"] === true,
    name: typeof name === "string" ? toPersonName(name) : null,
    issuedAt: new Date(iat * 1_000),
  };
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
    const { payload, protectedHeader } = await jwtVerify(token, trusted.findKey, {
      algorithms: ALGORITHMS,
      issuer: trusted.issuer,
      audience: trusted.clientId,
      clockTolerance: SKEW_SECONDS,
      maxTokenAge: AGE_MAX,
      currentDate: deps.clock.now(),
      requiredClaims: ["sub", "exp", "iat"],
    });
    assertMadeForUs({ payload, typ: protectedHeader.typ, clientId: trusted.clientId });
    return toClaims(payload, trusted.storedAs);
  }

  return async (token) => {
    try {
      return { kind: "valid", claims: await verify(token) };
    } catch (error) {
      if (error instanceof AppError) {
        throw error;
      }
      const isExpired = error instanceof errors.JWTExpired && error.claim === "exp";
      return { kind: "refused", reason: isExpired ? "expired" : "invalid", cause: error };
    }
  };
}
