import type { z } from "zod";
import { UsageError } from "./usage-error.ts";

/** Where a field of an input comes from on the command line, when it is not the option of the same name. */
export type InputNames = Readonly<Record<string, string>>;

function toOption(field: string): string {
  return `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The sentence that a mistake becomes part of goes on, or brings its own full stop. */
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
 * Reads a point in time: a date (midnight, UTC) or an instant with its zone, such as `2026-01-31` or
 * `2026-01-31T09:30:00Z`.
 *
 * @returns ISO 8601, UTC.
 * @throws {UsageError}
 */
export function parseInstant(text: string): string {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(
    text,
  );
  const epochMs = isDate || isInstant ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(epochMs)) {
    throw new UsageError(`"${text}" is not a date such as 2026-01-31 or 2026-01-31T09:30:00Z`);
  }
  // The 30th of February is parsed as the 2nd of March.
  const day = text.slice(0, "2026-01-31".length);
  if (!new Date(day).toISOString().startsWith(day)) {
    throw new UsageError(`"${text}" is a day that no month has`);
  }
  return new Date(epochMs).toISOString();
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
