import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Leaves out the pattern that spells a format out: a model reads the format. */
function withoutSpelledFormats(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutSpelledFormats);
  }
  if (!isObject(value)) {
    return value;
  }
  const entries = Object.entries(value).filter(
    ([name]) => !(name === "pattern" && typeof value["format"] === "string"),
  );
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutSpelledFormats(each)]));
}

/**
 * Describes arguments to the protocol's library, which refuses others, and lets them pass as they were sent: an operation reads its
 * input by itself.
 */
export function toToolSchema(schema: z.ZodType): StandardSchemaWithJSON<JsonObject, JsonObject> {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  const json = { type: "object", ...(withoutSpelledFormats(described) as JsonObject) };
  return {
    "~standard": {
      version: 1,
      vendor: "turnpike",
      validate: (value) => {
        const sent = isObject(value) ? value : {};
        const parsed = schema.safeParse(sent);
        return parsed.success ? { value: sent } : { issues: parsed.error.issues };
      },
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}
