/** JSON as it is stored. */
export type Json = string | number | boolean | null | Json[] | { [member: string]: Json };

type JsonObject = { [member: string]: Json };

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Writes a value of the domain as JSON that keeps it exactly: a `bigint` becomes `{ "#": "12" }` and a `Map` `{ "#map": [[…]] }`.
 * Members that are undefined are left out.
 *
 * @throws {TypeError} For what has no such form, such as a function.
 */
export function toExactJson(value: unknown): Json {
  switch (typeof value) {
    case "bigint":
      return { "#": value.toString() };
    case "string":
    case "number":
    case "boolean":
      return value;
    case "object":
      return value === null ? null : objectToJson(value);
    default:
      throw new TypeError(`A ${typeof value} cannot be stored.`);
  }
}

function objectToJson(value: object): Json {
  if (Array.isArray(value)) {
    return value.map(toExactJson);
  }
  if (value instanceof Map) {
    return { "#map": [...value].map(([key, item]) => [toExactJson(key), toExactJson(item)]) };
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([member, item]) => [member, toExactJson(item)]),
  );
}

/** Reads what {@link toExactJson} wrote. The caller knows the type: only what this process wrote is stored. */
export function fromExactJson<Value>(json: Json): Value {
  return revive(json) as Value;
}

function revive(json: Json): unknown {
  if (Array.isArray(json)) {
    return json.map(revive);
  }
  if (!isObject(json)) {
    return json;
  }
  const { "#": digits, "#map": entries } = json;
  if (typeof digits === "string") {
    return BigInt(digits);
  }
  if (Array.isArray(entries)) {
    return new Map(
      entries.map((entry): [unknown, unknown] =>
        Array.isArray(entry) ? [revive(entry[0] ?? null), revive(entry[1] ?? null)] : [entry, null],
      ),
    );
  }
  return Object.fromEntries(Object.entries(json).map(([member, item]) => [member, revive(item)]));
}
