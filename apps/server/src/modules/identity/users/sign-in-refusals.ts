import { AppError } from "@turnpike/domain/errors/app-error";

export function refused(reason: "expired" | "invalid", cause: unknown): AppError {
  return new AppError({
    code: "UNAUTHENTICATED",
    publicMessage:
      reason === "expired"
        ? "The sign-in has expired: sign in again."
        : "The sign-in is not valid: sign in again.",
    headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    cause,
  });
}

export function signedOut(): AppError {
  return new AppError({
    code: "SIGNED_OUT",
    publicMessage: "You were signed out where you signed in. Sign in again.",
    headers: { "www-authenticate": 'Bearer error="invalid_token", error_description="signed_out"' },
  });
}

export function secondFactorRequired(): AppError {
  return new AppError({
    code: "SECOND_FACTOR_REQUIRED",
    publicMessage:
      "This sign-in proved no second factor, which your account needs. Sign in at the provider with one, or in another way.",
  });
}
