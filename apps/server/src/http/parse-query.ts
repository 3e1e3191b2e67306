import type { z } from "zod";
import { invalidRequest, type RawCall, readQuery, toFieldErrors } from "./raw-route.ts";

/**
 * Parses the query of a raw route by a schema of the contract, with what its path says.
 *
 * @throws {AppError} `INVALID_REQUEST`, also for a parameter that is there twice.
 */
export function parseQuery<Schema extends z.ZodType>(
  { req }: Pick<RawCall, "req">,
  schema: Schema,
  path: Readonly<Record<string, string>>,
): z.output<Schema> {
  const query = readQuery(req);
  const repeated = [...query.keys()].find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) {
    throw invalidRequest([{ pointer: `/${repeated.slice(0, 64)}`, message: "Only once." }]);
  }
  const parsed = schema.safeParse({ ...Object.fromEntries(query), ...path });
  if (!parsed.success) {
    throw invalidRequest(toFieldErrors(parsed.error.issues));
  }
  return parsed.data;
}
