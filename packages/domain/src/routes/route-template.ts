/** The longest template, in characters. */
export const ROUTE_LENGTH_MAX = 200;

const VALUE = "{id}";
/** Replaces the rest of a path that does not fit. */
const REST = "/{more}";
/** A longer segment is not a name that someone gave a route. */
const SEGMENT_LENGTH_MAX = 64;

const NOT_VISIBLE_ASCII = /[^\x21-\x7e]/g;
const HAS_DIGIT = /[0-9]/;
/** Numbers, dates, times, versions, coordinates, lists of numbers. */
const NUMERIC = /^[0-9.,+~:_-]+$/;
const UUID = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;
const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i;
const HEX = /^[0-9a-f]{8,}$/i;
const RUN = /[0-9A-Za-z]+/g;
const LONG_NUMBER = /^[0-9]{4,}$|[0-9]{6,}/;
const EXTENSION = /\.[a-z][a-z0-9]{1,4}$/;

function classOf(char: number): number {
  if (char <= 0x39) {
    return 0;
  }
  return char <= 0x5a ? 1 : 2;
}

/** How often the class of characters (digit, capital, small letter) changes: seldom in words, at every second position in random text. */
function countChanges(run: string): number {
  let changes = 0;
  for (let index = 1; index < run.length; index += 1) {
    changes += classOf(run.charCodeAt(index)) === classOf(run.charCodeAt(index - 1)) ? 0 : 1;
  }
  return changes;
}

function countDigits(run: string): number {
  let digits = 0;
  for (let index = 0; index < run.length; index += 1) {
    digits += run.charCodeAt(index) <= 0x39 ? 1 : 0;
  }
  return digits;
}

/** True when a run of letters and digits seems to be generated: an id, not a name. */
function isMadeUp(run: string): boolean {
  if (run.length >= 32 || LONG_NUMBER.test(run)) {
    return true;
  }
  if (run.length < 8) {
    return false;
  }
  const changes = countChanges(run);
  if (!HAS_DIGIT.test(run)) {
    return run.length >= 20 && changes * 2 >= run.length;
  }
  const isMixed = run.length >= 12 && countDigits(run) >= 3 && changes >= 3;
  return HEX.test(run) || ULID.test(run) || changes * 2 >= run.length || isMixed;
}

function isValue(text: string): boolean {
  const hasDigit = HAS_DIGIT.test(text);
  // Most segments end here: short, of letters.
  if (!hasDigit && text.length < 20) {
    return false;
  }
  if (hasDigit && (NUMERIC.test(text) || UUID.test(text))) {
    return true;
  }
  return text.match(RUN)?.some(isMadeUp) ?? false;
}

function toNamedText(text: string): string {
  const extension = EXTENSION.exec(text)?.[0] ?? "";
  return isValue(text.slice(0, text.length - extension.length)) ? VALUE + extension : text;
}

function toSegment(segment: string): string {
  // Anything percent-encoded or with an @ is data: a name, a search, an e-mail address.
  if (segment.length > SEGMENT_LENGTH_MAX || segment.includes("%") || segment.includes("@")) {
    return VALUE;
  }
  if (!segment.includes(":")) {
    return bounded(toNamedText(segment));
  }
  // `/orders/17:cancel`: the action stays.
  return HAS_DIGIT.test(segment) && NUMERIC.test(segment)
    ? VALUE
    : bounded(segment.split(":").map(toNamedText).join(":"));
}

function bounded(segment: string): string {
  return segment.length > SEGMENT_LENGTH_MAX ? VALUE : segment;
}

/** The path without query and fragment, of visible ASCII alone. */
function toPath(rawTarget: string): string {
  const end = rawTarget.search(/[?#]/);
  const path = end < 0 ? rawTarget : rawTarget.slice(0, end);
  return path.replace(NOT_VISIBLE_ASCII, "_");
}

/**
 * Makes the route of a path: what in it differs from call to call becomes `{id}`, so that calls of one kind are counted
 * together. Numbers, dates, UUIDs, ULIDs, hexadecimal and other random text, prefixed ids, e-mail addresses and everything
 * percent-encoded count as such; names with a number in them (`v1`, `oauth2`) do not. Nothing is decoded.
 *
 * Example: `/v1/users/123/files/9f86d081.json?page=2` gives `/v1/users/{id}/files/{id}.json`.
 *
 * The query is dropped, and so are empty segments: `/users/` and `//users` are `/users`. A path whose template would be
 * longer than {@link ROUTE_LENGTH_MAX} ends in `/{more}`. The template of a template is itself.
 *
 * @param rawTarget - The request target as sent, of any length; what is not visible ASCII becomes `_`.
 * @returns Starts with a slash; visible ASCII, at most {@link ROUTE_LENGTH_MAX} characters.
 */
export function toRouteTemplate(rawTarget: string): string {
  const path = toPath(rawTarget);
  let route = "";
  /** The longest beginning of it that leaves room for {@link REST}. */
  let shorter = "";
  for (let start = 0; start < path.length; ) {
    const slash = path.indexOf("/", start);
    const end = slash < 0 ? path.length : slash;
    if (end > start) {
      route += `/${toSegment(path.slice(start, end))}`;
    }
    if (route.length > ROUTE_LENGTH_MAX) {
      return shorter + REST;
    }
    if (route.length <= ROUTE_LENGTH_MAX - REST.length) {
      shorter = route;
    }
    start = end + 1;
  }
  return route === "" ? "/" : route;
}
