import type { ReadLine } from "./logged-request.ts";
import { parseCombinedLine } from "./parse-combined-line.ts";
import { type LogFieldNames, parseJsonLine } from "./parse-json-line.ts";

/** `auto` tells by each line, so that a log may change its format on the way. */
export const LOG_FORMATS = ["auto", "combined", "nginx", "caddy"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export type LogLineOptions = {
  format: LogFormat;
  /** Names of fields of nginx. */
  names?: LogFieldNames;
};

/** Reads a line of an access log, without its end. It never throws: what cannot be read says why. */
export function parseLogLine(text: string, options: LogLineOptions): ReadLine {
  if (text.trim() === "") {
    return { reason: "empty" };
  }
  const { format } = options;
  if (format === "combined" || (format === "auto" && !text.startsWith("{"))) {
    return parseCombinedLine(text);
  }
  return parseJsonLine(text, {
    format: format === "auto" ? undefined : format,
    ...(options.names === undefined ? {} : { names: options.names }),
  });
}
