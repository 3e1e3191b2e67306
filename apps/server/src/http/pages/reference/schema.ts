import { isRecord, type Json, listOf, recordOf, textOf } from "@turnpike/domain/routes/json";
import type { Field } from "@turnpike/domain/routes/read-reference";

const COMPONENTS = "#/components/schemas/";

/** Deeper shapes are only named. */
export const DEPTH_MAX = 6;

/** The name of a shape that is only referred to. */
export function refName(schema: unknown): string | undefined {
  const ref = textOf(recordOf(schema)["$ref"]);
  return ref.startsWith(COMPONENTS) ? ref.slice(COMPONENTS.length) : undefined;
}

/** A schema whose `allOf` is taken together: what a value must be, in one. */
export function mergeAll(schema: Json, schemas: Json): Json {
  const parts = listOf(schema["allOf"]).map((part) => {
    const name = refName(part);
    return recordOf(name === undefined ? part : schemas[name]);
  });
  if (parts.length === 0) {
    return schema;
  }
  const { allOf: _, ...own } = schema;
  const all = [...parts, own];
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => recordOf(part["properties"]))),
    required: all.flatMap((part) => listOf(part["required"])),
  };
}

/** The shape whose fields are worth showing under a field: its own, or that of its items. */
export function innerShape(schema: Json): Json | undefined {
  const shape = schema["type"] === "array" ? recordOf(schema["items"]) : schema;
  return isRecord(shape["properties"]) ? shape : undefined;
}

/** The fields of an object, required ones as they come. */
export function fieldsOf(value: unknown): Field[] {
  const schema = recordOf(value);
  const required = listOf(schema["required"]);
  return Object.entries(recordOf(schema["properties"])).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    description: textOf(recordOf(property)["description"]) || undefined,
    schema: property,
  }));
}
