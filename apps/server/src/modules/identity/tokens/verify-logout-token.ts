import { decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import { isName } from "./session-id.ts";
import { ClaimError, SKEW_SECONDS } from "./token-claims.ts";
import type { TrustedIssuer } from "./trusted-issuers.ts";
import { ALGORITHMS } from "./verify-id-token.ts";

/** The client that a logout token is for, and the keys of who sent it. */
export type LogoutAudience = Pick<TrustedIssuer, "issuer" | "clientId" | "findKey">;

/** What a valid logout token says: at least one of `subject` and `sessionId` is there. */
export type LogoutClaims = {
  subject: string | undefined;
  sessionId: string | undefined;
  /** Unique among the tokens of the issuer. */
  tokenId: string;
  issuedAt: Date;
  /** Until then a token could be sent again, with the allowed difference of clocks. */
  usableUntil: Date;
};

/** The event that makes a token a logout token. */
export const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** The specification recommends two minutes. */
const AGE_MAX = "1 hour";
const TYPES = ["logout+jwt", "application/logout+jwt", "jwt"];

function readName(payload: JWTPayload, claim: "sub" | "sid"): string | undefined {
  const value = payload[claim];
  if (value !== undefined && !isName(value)) {
    throw new ClaimError(`The claim "${claim}" is not a name.`);
  }
  return value;
}

/** OpenID Connect Back-Channel Logout 1.0, section 2.6, steps 4 to 6. */
function readLogout(payload: JWTPayload): { subject?: string; sessionId?: string } {
  const { events } = payload;
  const event =
    typeof events === "object" && events !== null && Object.hasOwn(events, LOGOUT_EVENT)
      ? (events as Record<string, unknown>)[LOGOUT_EVENT]
      : undefined;
  if (typeof event !== "object" || event === null || Array.isArray(event)) {
    throw new ClaimError('The claim "events" names no logout.');
  }
  if (payload["nonce"] !== undefined) {
    throw new ClaimError("A logout token has no nonce: this is another token.");
  }
  const subject = readName(payload, "sub");
  const sessionId = readName(payload, "sid");
  if (subject === undefined && sessionId === undefined) {
    throw new ClaimError('Neither "sub" nor "sid" says who signed out.');
  }
  return {
    ...(subject === undefined ? {} : { subject }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** What needs no key is checked first: no stranger makes the keys be fetched. */
function assertPlausible(token: string, { issuer, clientId }: LogoutAudience): void {
  const { aud, iss } = decodeJwt(token);
  const { alg, typ } = decodeProtectedHeader(token);
  if (iss !== issuer) {
    throw new ClaimError("The token is of another issuer.");
  }
  if (aud !== clientId && !(Array.isArray(aud) && aud.includes(clientId))) {
    throw new ClaimError("The token is for another client.");
  }
  if (alg === undefined || !ALGORITHMS.includes(alg)) {
    throw new ClaimError("The token is not signed by a published key.");
  }
  if (typ !== undefined && !TYPES.includes(typ.toLowerCase())) {
    throw new ClaimError("The token is not a logout token.");
  }
}

/**
 * Checks a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6) except for whether it was used before.
 *
 * @throws {ClaimError} and errors of jose: the token is not valid. @throws {AppError} `IDENTITY_PROVIDER_UNAVAILABLE`.
 */
export async function verifyLogoutToken(
  token: string,
  audience: LogoutAudience,
  now: Date,
): Promise<LogoutClaims> {
  assertPlausible(token, audience);
  const { payload } = await jwtVerify(token, audience.findKey, {
    algorithms: [...ALGORITHMS],
    issuer: audience.issuer,
    audience: audience.clientId,
    clockTolerance: SKEW_SECONDS,
    maxTokenAge: AGE_MAX,
    currentDate: now,
    requiredClaims: ["iat", "exp", "jti", "events"],
  });
  const { subject, sessionId } = readLogout(payload);
  const { jti, iat = 0, exp = 0 } = payload;
  if (!isName(jti)) {
    throw new ClaimError('The claim "jti" is not a name.');
  }
  return {
    subject,
    sessionId,
    tokenId: jti,
    issuedAt: new Date(iat * 1_000),
    usableUntil: new Date((exp + SKEW_SECONDS) * 1_000),
  };
}
