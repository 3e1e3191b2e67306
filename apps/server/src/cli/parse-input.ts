import { parseInstant } from "@turnpike/domain/time/parse-instant";
import type { z } from "zod";
import { UsageError } from "./usage-error.ts";

/** Names of fields on the command line, where they differ from the option of the same name. */
export type InputNames = Readonly<Record<string, string>>;

function toOption(field: string): string {
  return `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The sentence that contains the message continues, or has its own full stop. */
function withoutStop(message: string): string {
  return message.replace(/\.$/, "");
}

/**
 * Parses what options and arguments say with the schema that the API uses for the same.
 *
 * @param names - Maps a field to what it is called on the command line; by default `externalId` is `--external-id`.
 * @throws {UsageError} that lists every mistake.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: Record<string, unknown>,
  names: InputNames = {},
): z.output<Schema> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) {
    return parsed.data;
  }
  const mistakes = parsed.error.issues.map((issue) => {
    const field = String(issue.path[0] ?? "");
    return `${names[field] ?? toOption(field)}: ${withoutStop(issue.message)}`;
  });
  throw new UsageError(mistakes.join("; "));
}

/**
 * Reads a point in time as {@link parseInstant} does, for options.
 *
 * @returns ISO 8601, UTC.
 * @throws {UsageError}
 */
export function toInstant(text: string): string {
  const parsed = parseInstant(text);
  if ("fault" in parsed) {
    throw new UsageError(parsed.fault);
  }
  return parsed.instant;
}

/**
 * Reads a whole number within bounds, for options.
 *
 * @throws {UsageError}
 */
export function parseWhole(text: string, bounds: { min: number; max: number }): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= bounds.min && value <= bounds.max)) {
    throw new UsageError(
      `"${text}" is not a whole number from ${String(bounds.min)} to ${String(bounds.max)}`,
    );
  }
  return value;
}
