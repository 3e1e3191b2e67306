import { AppError } from "@turnpike/domain/errors/app-error";
import { toPersonName } from "@turnpike/domain/text/person-name";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { errors, type JWTPayload } from "jose";
import { z } from "zod";

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
  /** The browser's sign-in, of the built-in provider only. */
  signInId?: string;
  /** The person's session at a provider elsewhere, where its token names one (`sid`). */
  sessionId?: string;
  /** When the person last proved to the provider who they are; left out where the token does not say. */
  authenticatedAt?: Date;
  /** What the sign-in that asked for the token named it by. */
  nonce?: string;
  /** Whether the token says that the person proved a second factor; left out where the operator named no claims for that. */
  hasSecondFactor?: boolean;
};

export type TokenVerdict =
  | { kind: "valid"; claims: TokenClaims }
  | { kind: "refused"; reason: "expired" | "invalid"; cause: unknown };

/** The allowed difference between the issuer's clock and ours. */
export const SKEW_SECONDS = 60;
/** The longest accepted lifetime of a token: a stolen one must expire, also when the issuer allows more. */
const AGE_MAX = "24 hours";
const SUBJECT_LENGTH_MAX = 255;

const address = z.email().max(320);

export class ClaimError extends Error {
  override readonly name = "ClaimError";
}

/** What is checked of every token, however it is signed. */
export function toChecks(trusted: { issuer: string; clientId: string }, now: Date) {
  return {
    issuer: trusted.issuer,
    audience: trusted.clientId,
    clockTolerance: SKEW_SECONDS,
    maxTokenAge: AGE_MAX,
    currentDate: now,
    requiredClaims: ["sub", "exp", "iat"],
  };
}

/** @throws {ClaimError} When they name no person. */
export function toClaims(payload: JWTPayload, storedAs: string): TokenClaims {
  const { sub, iat, email, name, nonce, auth_time: authTime } = payload;
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
    ...(typeof authTime === "number" ? { authenticatedAt: new Date(authTime * 1_000) } : {}),
    ...(typeof nonce === "string" ? { nonce } : {}),
  };
}

/** Makes a verdict of what is thrown for a token that is not valid. A failure to decide is thrown on. */
export async function toVerdict(
  verify: () => TokenClaims | Promise<TokenClaims>,
): Promise<TokenVerdict> {
  try {
    return { kind: "valid", claims: await verify() };
  } catch (error) {
    if (error instanceof AppError) {
      throw error;
    }
    const isExpired = error instanceof errors.JWTExpired && error.claim === "exp";
    return { kind: "refused", reason: isExpired ? "expired" : "invalid", cause: error };
  }
}
