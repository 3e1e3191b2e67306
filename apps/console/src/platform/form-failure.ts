import { RequestError, toErrorMessage } from "./error-message.ts";

/** What a form shows of a request that failed. */
export type FormFailure<Field extends string> = {
  /** Every error, for the summary; those shown beside a field are included. */
  messages: readonly string[];
  /** The error of each field, shown beside it. */
  fields: Readonly<Partial<Record<Field, string>>>;
};

/**
 * Sorts what a server found wrong by the fields of a form.
 *
 * @param cause - What the mutation failed with; null while it has not.
 * @param pointers - The field of the form by its place in the request (RFC 6901), such as `{ name: "/name" }`. A pointer
 *   stands for what is below it too.
 * @returns Undefined when nothing failed.
 */
export function toFormFailure<Field extends string>(
  cause: unknown,
  pointers: Readonly<Record<Field, string>>,
): FormFailure<Field> | undefined {
  if (cause === null || cause === undefined) {
    return;
  }
  const errors = cause instanceof RequestError ? cause.fieldErrors : [];
  const fields: Partial<Record<Field, string>> = {};
  if (errors.length === 0) {
    return { messages: [toErrorMessage(cause)], fields };
  }
  const names = Object.keys(pointers) as Field[];
  for (const error of errors) {
    const field = names.find(
      (name) => error.pointer === pointers[name] || error.pointer.startsWith(`${pointers[name]}/`),
    );
    if (field !== undefined && fields[field] === undefined) {
      fields[field] = error.message;
    }
  }
  return { messages: errors.map((error) => error.message), fields };
}
