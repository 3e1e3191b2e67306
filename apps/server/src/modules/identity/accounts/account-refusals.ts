import { AppError } from "@turnpike/domain/errors/app-error";
import { findPasswordProblem } from "./password-rules.ts";

/** For a link that is unknown, used, replaced or expired. The answer does not say which. */
export function linkInvalid(): AppError {
  return new AppError({
    code: "LINK_INVALID",
    publicMessage: "This link no longer works. Ask for a new one.",
  });
}

/**
 * For an address and a password that are not accepted.
 *
 * @param confirmEmail - True where addresses must be confirmed: then the answer names that as another possible reason.
 */
export function invalidCredentials(confirmEmail: boolean): AppError {
  return new AppError({
    code: "INVALID_CREDENTIALS",
    publicMessage: confirmEmail
      ? "The e-mail address or the password is wrong, or the address is not confirmed yet. In that case, follow the link in our latest mail."
      : "The e-mail address or the password is wrong.",
  });
}

/** For a signed-in person who does not type the password of their account. */
export function wrongCurrentPassword(): AppError {
  const message = "This is not the password of your account.";
  return new AppError({
    code: "INVALID_CREDENTIALS",
    publicMessage: message,
    errors: [{ pointer: "/currentPassword", message }],
  });
}

/** For a person whose account another provider keeps, or who has none any more. */
export function accountElsewhere(): AppError {
  return new AppError({
    code: "ACCOUNT_ELSEWHERE",
    publicMessage:
      "Your sign-in provider keeps this account: change name, address and password there.",
  });
}

export function tooManyMails(): AppError {
  return new AppError({
    code: "TOO_MANY_ATTEMPTS",
    publicMessage: "Too many mails were sent for this account. Try again in an hour.",
    headers: { "retry-after": "3600" },
  });
}

/** For a person with the confirmation link but without the password of the registration. */
export function wrongConfirmationPassword(): AppError {
  return new AppError({
    code: "INVALID_CREDENTIALS",
    publicMessage:
      "This is not the password that was chosen when this address was registered. If you did not register, reset the password: that also confirms the address.",
  });
}

/** @throws {AppError} `INVALID_REQUEST`, naming the problem of a new password. */
export function assertAcceptable(
  password: string,
  input: { email: string; name: string | null; lengthMin: number },
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
