import { AppError } from "@turnpike/domain/errors/app-error";

/** The person's organization closed every other way to sign in. */
export function ssoRequired(): AppError {
  return new AppError({
    code: "SSO_REQUIRED",
    publicMessage: "Your organization requires single sign-on. Use it to sign in.",
  });
}
