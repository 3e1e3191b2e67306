/** No text of a result is longer: paths, names and agents of traffic are written by strangers. */
const TEXT_LENGTH_MAX = 500;
/** A model reads all of it. */
export const RESULT_BYTES_MAX = 64 * 1024;

/** Shortens every text in a result. */
export function shortenTexts(value: unknown): unknown {
  if (typeof value === "string") {
    return value.length > TEXT_LENGTH_MAX ? `${value.slice(0, TEXT_LENGTH_MAX)}…` : value;
  }
  if (Array.isArray(value)) {
    return value.map(shortenTexts);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, shortenTexts(each)]),
    );
  }
  return value;
}
