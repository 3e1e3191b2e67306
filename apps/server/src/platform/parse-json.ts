import { isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "@turnpike/domain/errors/app-error";
import { findExceededBound, type JsonBounds } from "./scan-json.ts";

/**
 * What a body may ask of the only thread that serves: a text that breaks no bound is parsed and validated within a few
 * milliseconds, at any length. A thousand imported keys with ten fields each are 20,000 values.
 */
export const JSON_BOUNDS: JsonBounds = { depthMax: 64, valuesMax: 40_000, namesMax: 20_000 };

const ARRAY_START = 0x5b;
const ARRAY_END = 0x5d;
const COMMA = 0x2c;
const BYTE_ORDER_MARK = 0xfeff;

function notJson(cause?: unknown): AppError {
  return new AppError({
    code: "INVALID_REQUEST",
    publicMessage: "The body is not JSON.",
    errors: [{ pointer: "", message: "Not JSON in UTF-8." }],
    cause,
  });
}

function tooCostly(bound: keyof JsonBounds, bounds: JsonBounds): AppError {
  if (bound === "depthMax") {
    const message = `JSON may have at most ${String(bounds.depthMax)} levels.`;
    return new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "", message }],
    });
  }
  return new AppError({
    code: "PAYLOAD_TOO_LARGE",
    publicMessage: `The body may have at most ${String(bounds[bound])} JSON ${bound === "valuesMax" ? "values" : "names"}.`,
  });
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  } catch (error) {
    throw notJson(error);
  }
}

/**
 * Parses the JSON of a request: the only way in for all of them. Levels and values are counted before the parser runs.
 *
 * @throws {AppError} `INVALID_REQUEST` (not JSON in UTF-8, or too many levels), `PAYLOAD_TOO_LARGE` (too many values).
 */
export function parseJson(body: Buffer, bounds: JsonBounds = JSON_BOUNDS): unknown {
  const exceeded = findExceededBound(body, bounds);
  if (exceeded !== undefined) {
    throw tooCostly(exceeded, bounds);
  }
  if (!isUtf8(body)) {
    throw notJson();
  }
  return parseText(body.toString("utf8"));
}

/** Of an array that is parsed in portions. Ten thousand events of fifty values each, with their attributes. */
const ARRAY_BOUNDS: JsonBounds = {
  depthMax: JSON_BOUNDS.depthMax,
  valuesMax: 500_000,
  namesMax: 500_000,
};

/** How much of an array is parsed, and worked on, before other calls come in between: the first that is reached. */
export type PortionBounds = { bytes: number; values: number; elements: number };

type Range = { from: number; to: number };

/** Space, tab, line feed and carriage return: RFC 8259, section 2. */
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BYTE_ORDER_MARK_BYTES = Buffer.from("\uFEFF");

/** Where the content of an array lies, without its brackets; undefined if the body cannot be one. */
function findArrayContent(body: Buffer): Range | undefined {
  const isSpace = (at: number) => SPACES.has(body[at] ?? 0);
  let from = body.subarray(0, BYTE_ORDER_MARK_BYTES.length).equals(BYTE_ORDER_MARK_BYTES)
    ? BYTE_ORDER_MARK_BYTES.length
    : 0;
  while (from < body.length && isSpace(from)) {
    from += 1;
  }
  let to = body.length - 1;
  while (to > from && isSpace(to)) {
    to -= 1;
  }
  return body[from] === ARRAY_START && body[to] === ARRAY_END ? { from: from + 1, to } : undefined;
}

/** @throws {AppError} As {@link parseJson}, for the whole or for one of its elements. */
function cutIntoPortions(body: Buffer, content: Range, portion: PortionBounds): Range[] {
  const portions: Range[] = [];
  let begin = { at: content.from, values: 0 };
  let elements = 0;
  let valuesBefore = 0;
  const exceeded = findExceededBound(body, ARRAY_BOUNDS, (at, values) => {
    if (body[at] !== COMMA && at !== content.to) {
      // The array is over, and something follows.
      throw notJson();
    }
    if (values - valuesBefore > JSON_BOUNDS.valuesMax) {
      throw tooCostly("valuesMax", JSON_BOUNDS);
    }
    valuesBefore = values;
    elements += 1;
    if (
      at - begin.at >= portion.bytes ||
      values - begin.values >= portion.values ||
      elements >= portion.elements
    ) {
      portions.push({ from: begin.at, to: at });
      begin = { at: at + 1, values };
      elements = 0;
    }
  });
  if (exceeded !== undefined) {
    throw tooCostly(exceeded, ARRAY_BOUNDS);
  }
  // Where the brackets do not match, something is left that cannot be parsed.
  if (begin.at <= content.to) {
    portions.push({ from: begin.at, to: content.to });
  }
  return portions;
}

/**
 * Parses an array whose elements may be many, portion by portion: other calls come in between, also when each portion is
 * worked on before the next one is asked for.
 *
 * @returns The elements, in order and at least one portion; undefined, instead of the first portion, if the body is no array.
 * @throws {AppError} As {@link parseJson}, with the bound on values for each element on its own, and a tenfold one for all.
 */
export async function* parseJsonArray(
  body: Buffer,
  portion: PortionBounds,
): AsyncGenerator<unknown[] | undefined> {
  const content = findArrayContent(body);
  if (content === undefined || !isUtf8(body)) {
    parseJson(body);
    yield undefined;
    return;
  }
  const portions = cutIntoPortions(body, content, portion);
  for (const [place, { from, to }] of portions.entries()) {
    if (place > 0) {
      await nextTurn();
    }
    const elements = parseText(`[${body.toString("utf8", from, to)}]`);
    // A comma with nothing behind it is no JSON, and would be lost between two portions.
    if (!Array.isArray(elements) || (elements.length === 0 && portions.length > 1)) {
      throw notJson();
    }
    yield elements;
  }
}
