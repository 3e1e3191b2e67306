import { isUtf8 } from "node:buffer";
import { EVENT_DATA_BYTES_MAX } from "@turnpike/contract/events";
import type { Rejection } from "@turnpike/domain/events/rejection";
import { parseJson } from "#platform/parse-json.ts";

/** A media type whose content is JSON, with or without parameters. */
export const JSON_TYPE = /^[\w.+-]+\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const TEXT_TYPE = /^text\//i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Base64 characters for a number of bytes. */
const ENCODED_LENGTH_MAX = Math.ceil(EVENT_DATA_BYTES_MAX / 3) * 4;

type Decoded = { ok: true; value: unknown } | { ok: false; rejection: Rejection };

function invalid(reason: string): Decoded {
  return { ok: false, rejection: { code: "INVALID_EVENT", reason } };
}

/** The data that meters can read: JSON or a text. Other bytes are undefined. */
function readData(bytes: Buffer, type: string | undefined): { data: unknown } | undefined {
  if (!isUtf8(bytes)) {
    return;
  }
  const text = bytes.toString("utf8");
  if (type !== undefined && !JSON_TYPE.test(type)) {
    return TEXT_TYPE.test(type) ? { data: text } : undefined;
  }
  try {
    return { data: parseJson(bytes) };
  } catch {
    return;
  }
}

/**
 * Decodes the `data_base64` of an event into `data`: JSON or a text, by its type, or JSON if it has no type. Other bytes are
 * dropped: meters that count events still count the event, and no other meter could read them.
 *
 * @param value - One event as parsed JSON, or anything else in its position.
 */
export function decodeEventData(value: unknown): Decoded {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "data_base64")) {
    return { ok: true, value };
  }
  const { data_base64: encoded, ...event } = value as Record<string, unknown>;
  if (encoded === null) {
    return { ok: true, value: event };
  }
  if (
    typeof encoded !== "string" ||
    encoded.length % 4 !== 0 ||
    (encoded.length <= ENCODED_LENGTH_MAX && !BASE64.test(encoded))
  ) {
    return invalid("The value of data_base64 must be a text in base64.");
  }
  if (event["data"] !== undefined && event["data"] !== null) {
    return invalid("An event has data or data_base64, not both.");
  }
  const bytes = encoded.length > ENCODED_LENGTH_MAX ? undefined : Buffer.from(encoded, "base64");
  if (bytes === undefined || bytes.length > EVENT_DATA_BYTES_MAX) {
    const reason = `The data may have at most ${String(EVENT_DATA_BYTES_MAX)} bytes.`;
    return { ok: false, rejection: { code: "EVENT_TOO_LARGE", reason } };
  }
  const type = typeof event["datacontenttype"] === "string" ? event["datacontenttype"] : undefined;
  const read = readData(bytes, type);
  return read === undefined && type !== undefined && JSON_TYPE.test(type)
    ? invalid("The data is not JSON in UTF-8, as datacontenttype says.")
    : { ok: true, value: { ...event, ...read } };
}
