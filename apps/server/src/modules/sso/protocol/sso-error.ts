import { toSessionId } from "#modules/identity/index.ts";

/** What the sign-in page explains, as `?error=`. */
export const SSO_LOGIN_ERRORS = [
  "sso_denied",
  "sso_failed",
  "sso_address",
  "sso_operator",
  "sso_protected",
  "sso_unavailable",
  "sso_off",
] as const;
export type SsoLoginError = (typeof SSO_LOGIN_ERRORS)[number];

/**
 * A sign-in at a tenant's provider did not come to its end.
 *
 * The message is for the tenant's owners: it says what the provider answered, and holds no secret.
 */
export class SsoError extends Error {
  override readonly name = "SsoError";
  readonly code: SsoLoginError;

  constructor(code: SsoLoginError, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A person, as a tenant's provider describes them. */
export type SsoPerson = {
  /** The provider's name for them, which never changes. */
  subject: string;
  email: string;
  name: string | null;
  /** The session at the provider, where it names one: it may end that session later. */
  sessionId: string | null;
};

const SUBJECT_LENGTH_MAX = 255;

/** @throws {SsoError} `sso_failed` when the provider left out what identifies a person. */
export function toPerson(input: {
  subject: unknown;
  email: unknown;
  name: unknown;
  sessionId?: unknown;
  /** Where the provider should have said it, such as "The ID token". */
  source: string;
}): SsoPerson {
  const { subject, email, name, source } = input;
  if (typeof subject !== "string" || subject === "" || subject.length > SUBJECT_LENGTH_MAX) {
    throw new SsoError("sso_failed", `${source} does not identify the person.`);
  }
  if (typeof email !== "string" || !email.includes("@") || email.length > 254) {
    throw new SsoError(
      "sso_failed",
      `${source} has no e-mail address. Have the provider send it as “email”.`,
    );
  }
  return {
    subject,
    email,
    name: typeof name === "string" && name.trim() !== "" ? name : null,
    sessionId: toSessionId(input.sessionId) ?? null,
  };
}
