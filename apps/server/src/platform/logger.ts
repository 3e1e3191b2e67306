import { KEY_IN_TEXT } from "@turnpike/domain/keys/key-format";
import { redactQueries } from "@turnpike/domain/privacy/redact";
import pino, { type Logger } from "pino";

export type { Logger } from "pino";

/** Names of fields that hold secrets. `code` is none of them: it says of an error what happened. */
const SECRET_FIELDS = [
  "authorization",
  "cookie",
  "password",
  "secret",
  "token",
  "key",
  "setupCode",
  '["x-api-key"]',
];
/** Fields of an event, of an object in it, and of that object's headers. */
const DEPTHS = ["", "*.", "*.*."];

function toPath(depth: string, field: string): string {
  return field.startsWith("[") ? depth.slice(0, -1) + field : depth + field;
}

/** Replaces the random part of anything that looks like one of our keys. */
export function redactKeys(text: string): string {
  return text.replace(KEY_IN_TEXT, (key) => `${key.slice(0, 8)}[redacted]`);
}

/**
 * Makes the root logger: one JSON line an event, to standard output or to `destination`. Secrets are removed twice, by
 * the name of their field and by the shape of our keys in the finished line; query strings, which may hold anybody's, are
 * taken out of the finished line.
 */
export function createLogger(input: {
  level: string;
  destination?: { write(line: string): void };
}): Logger {
  const target = input.destination ?? process.stdout;
  const redacting = {
    write(line: string): void {
      const shown = line.includes("?") ? redactQueries(line) : line;
      target.write(shown.includes("tp_") ? redactKeys(shown) : shown);
    },
  };
  return pino(
    {
      level: input.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: DEPTHS.flatMap((depth) => SECRET_FIELDS.map((field) => toPath(depth, field))),
        censor: "[redacted]",
      },
    },
    redacting,
  );
}
