import { toFirebaseIssuer } from "@turnpike/domain/access/firebase-issuer";
import { UnsecuredJWT } from "jose";
import type { Clock } from "#platform/clock.ts";
import {
  type TokenClaims,
  type TokenVerdict,
  toChecks,
  toClaims,
  toVerdict,
} from "../tokens/token-claims.ts";
import { assertSignedInBefore } from "./trust-firebase.ts";

/** Two parts and no signature. */
const UNSIGNED = /^[\w-]+\.[\w-]+\.$/;

/** True for a text in the form of a token of Firebase's emulator. */
export function isUnsignedToken(credential: string): boolean {
  return UNSIGNED.test(credential);
}

/**
 * Adds the tokens of Firebase's emulator, which have no signature, to those that a verifier takes. Called where the configuration
 * names the emulator and nowhere else: `readConfig` refuses it outside of development.
 *
 * Its people are stored under an issuer of their own, so that an account that anyone can make up is never one of the project.
 */
export function acceptEmulatorTokens(
  verify: (token: string) => Promise<TokenVerdict>,
  deps: { clock: Pick<Clock, "now">; projectId: string },
): (token: string) => Promise<TokenVerdict> {
  const { clock, projectId } = deps;
  const trusted = { issuer: toFirebaseIssuer(projectId), clientId: projectId };
  const read = (token: string): TokenClaims => {
    const now = clock.now();
    const { payload } = UnsecuredJWT.decode(token, toChecks(trusted, now));
    assertSignedInBefore(payload, now);
    return toClaims(payload, `firebase-emulator:${projectId}`);
  };
  return async (token) =>
    isUnsignedToken(token) ? await toVerdict(() => read(token)) : await verify(token);
}
