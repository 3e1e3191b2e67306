import { AppError } from "@turnpike/domain/errors/app-error";

/** A question that contradicts itself, or asks for what is not kept: `name` is the parameter that would have to change. */
export function refuseQuestion(name: string, message: string): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: `Invalid value at /${name}: ${message}`,
    errors: [{ pointer: `/${name}`, message }],
  });
}

/**
 * A refusal of a question as one of the request that the question is a part of.
 *
 * @param toPointer - From the parameter of the question to where it stands in the request.
 * @returns What is no such refusal, as it is.
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
