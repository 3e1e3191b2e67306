import { type Json, listOf, recordOf, textOf } from "@turnpike/domain/routes/json";

const COMPONENTS = "#/components/schemas/";

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
