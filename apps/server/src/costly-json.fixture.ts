import { findExceededBound, type JsonBounds } from "./platform/scan-json.ts";

/** Repeats an element to an array of at most so many bytes. */
function arrayOf(element: string, bytesMax: number): string {
  const count = Math.max(1, Math.floor((bytesMax - 1) / (element.length + 1)));
  return `[${`${element},`.repeat(count - 1)}${element}]`;
}

/** An array or object of different elements, in at most so many bytes. */
function listOf(
  brackets: readonly [string, string],
  element: (index: number) => string,
  bytesMax: number,
): string {
  const parts: string[] = [];
  let bytes = 2;
  for (let index = 0; ; index += 1) {
    const part = element(index);
    bytes += part.length + 1;
    if (bytes > bytesMax) {
      return brackets[0] + parts.join(",") + brackets[1];
    }
    parts.push(part);
  }
}

const nameOf = (index: number) => index.toString(36).padStart(5, "x");

/** Texts that cost a parser, or what comes after it, the most for their length. */
export const COSTLY: Readonly<Record<string, (bytesMax: number) => string>> = {
  "open brackets": (bytesMax) => "[".repeat(bytesMax),
  "open objects": (bytesMax) => '{"a":'.repeat(bytesMax / 5),
  "nested arrays": (bytesMax) => arrayOf("[".repeat(50) + "]".repeat(50), bytesMax),
  "nested objects": (bytesMax) => arrayOf(`${'{"a":'.repeat(50)}1${"}".repeat(50)}`, bytesMax),
  "empty arrays": (bytesMax) => arrayOf("[]", bytesMax),
  "empty objects": (bytesMax) => arrayOf("{}", bytesMax),
  numbers: (bytesMax) => arrayOf("1", bytesMax),
  "short texts": (bytesMax) => arrayOf('""', bytesMax),
  names: (bytesMax) => listOf(["{", "}"], (index) => `"${nameOf(index)}":0`, bytesMax),
  "objects of different names": (bytesMax) =>
    listOf(["[", "]"], (index) => `{"${nameOf(index)}":0,"y${nameOf(index)}":0}`, bytesMax),
  "a long number": (bytesMax) => "1".repeat(bytesMax),
  "long fractions": (bytesMax) => arrayOf(`0.${"1".repeat(800)}e-300`, bytesMax),
  escapes: (bytesMax) => `"${"\\u0041".repeat((bytesMax - 2) / 6)}"`,
  quotes: (bytesMax) => `"${'\\"'.repeat((bytesMax - 2) / 2)}"`,
  "a long text": (bytesMax) => `"${"x".repeat(bytesMax - 2)}"`,
  spaces: (bytesMax) => `${" ".repeat(bytesMax - 1)}1`,
};

/** The longest text, about, that is not refused unread. */
function makeWithinBounds(
  make: (bytesMax: number) => string,
  bytesMax: number,
  bounds: JsonBounds,
): string {
  for (let bytes = bytesMax; ; bytes = Math.floor(bytes * 0.9)) {
    const text = make(bytes);
    if (findExceededBound(Buffer.from(text), bounds) === undefined) {
      return text;
    }
  }
}

/** Good bodies in which one value after the other is replaced by as much as fits. */
export function* fillFields(
  good: object,
  { bytesMax, ...bounds }: JsonBounds & { bytesMax: number },
  costly: typeof COSTLY,
): Generator<[name: string, text: string]> {
  for (const [name, value] of Object.entries(good)) {
    const rest = JSON.stringify({ ...good, [name]: undefined });
    const room = bytesMax - Buffer.byteLength(rest) - name.length - 10;
    const place = (make: (bytesMax: number) => string) =>
      `${rest === "{}" ? "{" : `${rest.slice(0, -1)},`}${JSON.stringify(name)}:${makeWithinBounds(make, room, bounds)}}`;
    if (Array.isArray(value) && value.length > 0) {
      const first = JSON.stringify(value[0]);
      yield [`many ${name}`, place((bytes) => arrayOf(first, bytes))];
    }
    for (const [what, make] of Object.entries(costly)) {
      yield [`${name}: ${what}`, place(make)];
    }
  }
}
