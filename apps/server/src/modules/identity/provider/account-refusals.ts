import { AppError } from "@turnpike/domain/errors/app-error";
import { findPasswordProblem } from "./password-rules.ts";

/** For a link that is unknown, used, replaced or too old: which of them is not said. */
export function linkInvalid(): AppError {
  return new AppError({
    code: "LINK_INVALID",
    publicMessage: "This link does not work any more. Ask for a new one.",
  });
}

/**
 * For an address and a password that do not let anybody in.
 *
 * @param confirmEmail - True where an address must be confirmed: then the answer names that as another reason.
 */
export function invalidCredentials(confirmEmail: boolean): AppError {
  return new AppError({
    code: "INVALID_CREDENTIALS",
    publicMessage: confirmEmail
      ? "The e-mail address or the password is wrong, or the address is not confirmed yet: then follow the link in our newest mail."
      : "The e-mail address or the password is wrong.",
  });
}

/** For whoever holds the link that confirms an address, and not the password of the registration. */
export function wrongConfirmationPassword(): AppError {
  return new AppError({
    code: "INVALID_CREDENTIALS",
    publicMessage:
      "This is not the password that was chosen when this address was registered. If it was not you who registered, reset the password: that confirms the address too.",
  });
}

/** @throws {AppError} `INVALID_REQUEST`, saying what is wrong with a new password. */
export function assertAcceptable(
  password: string,
  input: { email: string; lengthMin: number },
): void {
  const problem = findPasswordProblem(password, input);
  if (problem !== undefined) {
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: problem,
      errors: [{ pointer: "/password", message: problem }],
    });
  }
}
