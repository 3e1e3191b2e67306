import { isRecord, type Json, listOf, recordOf } from "@turnpike/domain/routes/json";
import { DEPTH_MAX, refName } from "./schema.ts";

/** A piece of a description: words, a value as it is written in a program, or the name of a shape. */
export type Word = string | { code: string } | { shape: string };

function join(parts: readonly Word[][], between: string): Word[] {
  return parts.flatMap((part, index) => (index === 0 ? part : [between, ...part]));
}

function isNull(schema: unknown): boolean {
  return recordOf(schema)["type"] === "null";
}

function describePlainType(
  type: string,
  schema: Json,
  describe: (inner: unknown) => Word[],
): Word[] {
  const { format, items, additionalProperties } = schema;
  if (type === "array") {
    return ["list of ", ...describe(items)];
  }
  if (type === "object" && isRecord(additionalProperties)) {
    return ["map of ", ...describe(additionalProperties)];
  }
  return [typeof format === "string" && type === "string" ? `string (${format})` : type];
}

/** Says in a few words what a value is: "list of Key", `"live"` or `"test"`, "string (date-time) or null". */
export function describeType(value: unknown, depth = 0): Word[] {
  const name = refName(value);
  if (name !== undefined) {
    return [{ shape: name }];
  }
  const schema = recordOf(value);
  if (depth > DEPTH_MAX) {
    return ["any value"];
  }
  const describe = (inner: unknown) => describeType(inner, depth + 1);
  const choices = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
  if (choices.length > 0) {
    const parts = choices.filter((choice) => !isNull(choice)).map(describe);
    return join(choices.some(isNull) ? [...parts, ["null"]] : parts, " or ");
  }
  const parts = listOf(schema["allOf"]);
  if (parts.length > 0) {
    return join(parts.map(describe), " with ");
  }
  const values = [...listOf(schema["enum"]), ...[schema["const"] ?? []].flat()];
  if (values.length > 0) {
    return join(
      values.map((one) => [{ code: JSON.stringify(one) }]),
      " ",
    );
  }
  const types = [schema["type"] ?? []].flat();
  return types.length === 0
    ? ["any value"]
    : join(
        [...types, ...(schema["nullable"] === true ? ["null"] : [])].map((type) =>
          describePlainType(String(type), schema, describe),
        ),
        " or ",
      );
}

/** "1 to 100 characters", "at most 5 items", "at least 0"; undefined without a bound. */
function describeRange(lowest: unknown, highest: unknown, unit: string): string | undefined {
  const words = unit === "" ? "" : ` ${unit}`;
  if (lowest !== undefined && highest !== undefined) {
    return `${String(lowest)} to ${String(highest)}${words}`;
  }
  if (lowest !== undefined) {
    return `at least ${String(lowest)}${words}`;
  }
  return highest === undefined ? undefined : `at most ${String(highest)}${words}`;
}

/** Bounds, default and pattern of a value; empty when the schema gives none. */
export function describeBounds(schema: Json): Word[][] {
  const bounds: Word[][] = [
    describeRange(schema["minimum"], schema["maximum"], ""),
    describeRange(schema["minLength"], schema["maxLength"], "characters"),
    describeRange(schema["minItems"], schema["maxItems"], "items"),
  ]
    .filter((range) => range !== undefined)
    .map((range) => [range]);
  if (schema["default"] !== undefined) {
    bounds.push(["default ", { code: JSON.stringify(schema["default"]) }]);
  }
  const pattern = schema["pattern"];
  if (typeof pattern === "string") {
    bounds.push(["matches ", { code: pattern }]);
  }
  return bounds;
}
