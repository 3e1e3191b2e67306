import type { ZodToJsonSchemaConverterOptions } from "@orpc/zod/zod4";
import { z } from "zod";

type SchemaInterceptor = NonNullable<ZodToJsonSchemaConverterOptions["interceptors"]>[number];

/** `ten_0199…` gives `^ten_[0-9a-f]{32}$`. */
function idPattern(example: unknown): string | undefined {
  const prefix =
    typeof example === "string" ? /^([a-z]+_)[0-9a-f]{32}$/.exec(example)?.[1] : undefined;
  return prefix === undefined ? undefined : `^${prefix}[0-9a-f]{32}$`;
}

/**
 * Corrects what the converter gets wrong: ids and texts that mean a boolean are checked by code, which would come out
 * as "nothing is valid"; whole numbers get the bounds of JavaScript's exact range, and records the note that their names are
 * texts, which tell a reader nothing.
 */
export const describeUnconvertible: SchemaInterceptor = (options) => {
  const [required, schema] = options.next();
  const { schema: source } = options;
  if (source instanceof z.ZodCustom) {
    const example = z.globalRegistry.get(source)?.["examples"];
    const first: unknown = Array.isArray(example) ? example[0] : undefined;
    const pattern = idPattern(first);
    return [
      required,
      {
        type: "string",
        ...(pattern === undefined ? {} : { pattern }),
        ...(first === undefined ? {} : { examples: [first] }),
      },
    ];
  }
  if (source instanceof z.ZodCodec && source.out instanceof z.ZodBoolean) {
    return [required, { type: "string", enum: ["true", "false"] }];
  }
  if (schema.type === "integer") {
    const { minimum, maximum, ...rest } = schema;
    return [
      required,
      {
        ...rest,
        ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
        ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
      },
    ];
  }
  if (schema.propertyNames !== undefined) {
    const { propertyNames: _anyText, ...rest } = schema;
    return [required, rest];
  }
  return [required, schema];
};
