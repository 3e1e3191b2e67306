/** An object as it was parsed; everything in it may be missing. */
export type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A link may lead to a link; a broken document could go on for ever. */
const LINKS_MAX = 10;

/** Follows `{ "$ref": "#/components/…" }` to what it names in the document; anything else stays as it is. */
export function followLink(document: Json, value: unknown): unknown {
  let found = value;
  for (let count = 0; count < LINKS_MAX; count += 1) {
    const link = textOf(recordOf(found)["$ref"]);
    if (!link.startsWith("#/")) {
      break;
    }
    found = link
      .slice(2)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>(
        (at, part) => (isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined),
        document,
      );
  }
  return found;
}
