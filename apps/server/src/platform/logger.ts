import { KEY_IN_TEXT } from "@turnpike/domain/keys/key-format";
import pino, { type Logger } from "pino";

export type { Logger } from "pino";

/** Names of fields that hold secrets, at any of the depths that we log. */
const SECRET_FIELDS = [
  "authorization",
  "cookie",
  "password",
  "secret",
  "token",
  "key",
  "code",
  "headers.authorization",
  "headers.cookie",
  'headers["x-api-key"]',
];

/** Replaces the random part of anything that looks like one of our keys. */
export function redactKeys(text: string): string {
  return text.replace(KEY_IN_TEXT, (key) => `${key.slice(0, 8)}[redacted]`);
}

/**
 * Makes the root logger: one JSON line an event, to standard output or to `destination`. Secrets are removed twice, by
 * the name of their field and by the shape of our keys in the finished line.
 */
export function createLogger(input: {
  level: string;
  destination?: { write(line: string): void };
}): Logger {
  const target = input.destination ?? process.stdout;
  const redacting = {
    write(line: string): void {
      target.write(line.includes("tp_") ? redactKeys(line) : line);
    },
  };
  return pino(
    {
      level: input.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          ...SECRET_FIELDS,
          ...SECRET_FIELDS.filter((name) => !name.includes(".")).map((name) => `*.${name}`),
        ],
        censor: "[redacted]",
      },
    },
    redacting,
  );
}
