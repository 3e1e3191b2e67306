import { AppError } from "@turnpike/domain/errors/app-error";

/** The refusal of one member of a request. */
export function refuseInput(pointer: string, message: string): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: message,
    errors: [{ pointer, message }],
  });
}
