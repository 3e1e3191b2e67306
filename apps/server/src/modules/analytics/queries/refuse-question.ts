import { AppError } from "@turnpike/domain/errors/app-error";

/** Refuses a question that contradicts itself or asks for something that is not kept. `name` is the parameter to change. */
export function refuseQuestion(name: string, message: string): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: `Invalid value at /${name}: ${message}`,
    errors: [{ pointer: `/${name}`, message }],
  });
}

/**
 * Turns the refusal of a question into one of the request that contains it.
 *
 * @param toPointer - Maps a parameter of the question to its pointer in the request.
 * @returns Any other error unchanged.
 */
export function refusalWithin(error: unknown, toPointer: (pointer: string) => string): unknown {
  if (!(error instanceof AppError) || error.code !== "INVALID_REQUEST") {
    return error;
  }
  const errors = error.errors.map((each) => ({ ...each, pointer: toPointer(each.pointer) }));
  const [first] = errors;
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage:
      first === undefined ? error.message : `Invalid value at ${first.pointer}: ${first.message}`,
    errors,
    cause: error,
  });
}
