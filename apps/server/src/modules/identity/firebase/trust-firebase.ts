import { toFirebaseIssuer } from "@turnpike/domain/access/firebase-issuer";
import type { JWTPayload } from "jose";
import { createIssuerKeys, type IssuerKeysDeps } from "../tokens/issuer-keys.ts";
import { ClaimError, SKEW_SECONDS } from "../tokens/token-claims.ts";

/** Where Google publishes the keys that sign the ID tokens of all projects. */
const GOOGLE_KEYS_URL =
  "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";

/** A project of Firebase whose ID tokens are trusted. */
export type FirebaseProject = {
  projectId: string;
  /** Where the keys are; left out: at Google. */
  keysUrl?: string;
};

/** Refuses a token without the time of the sign-in, or with one in the future: Firebase's own libraries do as well. */
export function assertSignedInBefore(payload: JWTPayload, now: Date): void {
  const authTime = payload["auth_time"];
  const latest = now.getTime() / 1_000 + SKEW_SECONDS;
  if (typeof authTime !== "number" || authTime > latest) {
    throw new ClaimError("The token does not say when its person signed in.");
  }
}

/**
 * Trusts the ID tokens of a project. All projects have their tokens signed with the same keys: what tells them apart is issuer
 * and audience.
 */
export function trustFirebase(deps: IssuerKeysDeps, { projectId, keysUrl }: FirebaseProject) {
  const issuer = toFirebaseIssuer(projectId);
  return {
    issuer,
    storedAs: issuer,
    clientId: projectId,
    algorithms: ["RS256"],
    findKey: createIssuerKeys(deps, { issuer, keysUrl: keysUrl ?? GOOGLE_KEYS_URL }),
    assertClaims: assertSignedInBefore,
  };
}
