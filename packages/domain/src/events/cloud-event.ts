import { isStorableText } from "../text/storable-text.ts";
import { parseEventTime } from "./event-time.ts";
import type { Rejection } from "./rejection.ts";

/** The longest attribute, in UTF-16 units. */
export const ATTRIBUTE_LENGTH_MAX = 256;

/** The attributes that are read from a CloudEvent 1.0. Others are ignored. */
export type CloudEvent = {
  source: string;
  id: string;
  type: string;
  subject: string | undefined;
  /** Epoch milliseconds; undefined when the event has no time. */
  timeMs: number | undefined;
  /** Parsed JSON; undefined without data. */
  data: unknown;
};

export type ParsedEvent = { ok: true; event: CloudEvent } | { ok: false; rejection: Rejection };

function invalid(reason: string): { ok: false; rejection: Rejection } {
  return { ok: false, rejection: { code: "INVALID_EVENT", reason } };
}

function findFault(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) {
    return `The attribute ${name} is missing.`;
  }
  if (typeof value !== "string" || value === "") {
    return `The attribute ${name} must be a text that is not empty.`;
  }
  if (value.length > ATTRIBUTE_LENGTH_MAX) {
    return `The attribute ${name} may have at most ${String(ATTRIBUTE_LENGTH_MAX)} characters.`;
  }
  return isStorableText(value)
    ? undefined
    : `The attribute ${name} must not contain NUL or broken characters.`;
}

/** Reads one event in the JSON format and decodes `data_base64`. Never throws. */
export function parseCloudEvent(value: unknown): ParsedEvent {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return invalid("An event is a JSON object.");
  }
  const { specversion, id, source, type, subject, time, data } = value as Record<string, unknown>;
  if (specversion !== "1.0") {
    return invalid('The attribute specversion must be "1.0".');
  }
  const fault =
    findFault("id", id) ??
    findFault("source", source) ??
    findFault("type", type) ??
    (subject === undefined || subject === null ? undefined : findFault("subject", subject));
  if (fault !== undefined) {
    return invalid(fault);
  }
  const hasTime = time !== undefined && time !== null;
  const timeMs = typeof time === "string" ? parseEventTime(time) : undefined;
  if (hasTime && timeMs === undefined) {
    return invalid(
      "The attribute time must be an instant of RFC 3339, such as 2026-01-31T12:00:00Z.",
    );
  }
  return {
    ok: true,
    event: {
      source: source as string,
      id: id as string,
      type: type as string,
      subject: (subject ?? undefined) as string | undefined,
      timeMs,
      data,
    },
  };
}
