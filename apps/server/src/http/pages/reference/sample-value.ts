import { type Json, listOf, recordOf } from "@turnpike/domain/routes/json";
import { mergeAll, refName } from "./schema.ts";

/** Deeper values are left out: a shape may name itself. */
const DEPTH_MAX = 6;

function sampleText(schema: Json): string {
  switch (schema["format"]) {
    case "date-time":
      return "2026-01-31T12:00:00.000Z";
    case "date":
      return "2026-01-31";
    case "email":
      return "ada@example.com";
    case "uri":
      return "https://example.com";
    default:
      return typeof schema["pattern"] === "string" ? "example" : "Example";
  }
}

/** What the document itself gives as a value; undefined when it gives none. */
function givenValue(schema: Json): unknown {
  const [example] = listOf(schema["examples"]);
  const [choice] = listOf(schema["enum"]);
  return [schema["example"], example, schema["const"], schema["default"], choice].find(
    (value) => value !== undefined,
  );
}

function sampleObject(schema: Json, schemas: Json, depth: number): Json {
  const required = listOf(schema["required"]);
  return Object.fromEntries(
    Object.entries(recordOf(schema["properties"]))
      .filter(([name]) => required.includes(name))
      .map(([name, property]) => [name, sampleOf(property, schemas, depth + 1)]),
  );
}

/**
 * Makes up a value that fits a schema, for a sample: required fields only, examples of the document first.
 *
 * @param schemas - The named shapes.
 */
export function sampleOf(value: unknown, schemas: Json, depth = 0): unknown {
  if (depth > DEPTH_MAX) {
    return null;
  }
  // Beside a name, an example is of this place alone.
  const { example } = recordOf(value);
  if (example !== undefined) {
    return example;
  }
  const name = refName(value);
  if (name !== undefined) {
    return sampleOf(schemas[name], schemas, depth + 1);
  }
  const schema = mergeAll(recordOf(value), schemas);
  const given = givenValue(schema);
  if (given !== undefined) {
    return given;
  }
  const [first] = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
  if (first !== undefined) {
    return sampleOf(first, schemas, depth + 1);
  }
  const types = [schema["type"]].flat();
  switch (types.find((type) => type !== "null")) {
    case "array":
      return [sampleOf(schema["items"], schemas, depth + 1)];
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "string":
      return sampleText(schema);
    default:
      return sampleObject(schema, schemas, depth);
  }
}
