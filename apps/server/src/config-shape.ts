import type { z } from "zod";

/**
 * What to say of a value of the wrong kind where people often write a shorter one: the lines to write instead.
 *
 * @param example - In YAML, such as `openapi: { file: openapi.yaml }`.
 */
export function writeLike(example: string): { error: z.core.$ZodErrorMap } {
  return {
    error: ({ code, input }) =>
      code === "invalid_type" && input !== undefined ? `Write ${example}.` : undefined,
  };
}
