import type { TokenSet } from "./oidc-client.ts";
import type { User } from "./session.ts";

/** Reads a person out of the ID token. */
export function toUser(providerId: string, set: TokenSet, getIdToken: () => Promise<string>): User {
  const { sub, email, email_verified: emailVerified, name } = set.claims;
  return {
    subject: sub,
    providerId,
    email: typeof email === "string" ? email : undefined,
    emailVerified: emailVerified === true,
    name: typeof name === "string" && name !== "" ? name : undefined,
    getIdToken,
  };
}

/** Tells whether an ID token says about the person what the one before it said. */
export function isSameUser(before: User | undefined, after: User): boolean {
  return (
    before !== undefined &&
    before.subject === after.subject &&
    before.providerId === after.providerId &&
    before.email === after.email &&
    before.emailVerified === after.emailVerified &&
    before.name === after.name
  );
}
