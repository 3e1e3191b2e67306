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
 * Corrects two kinds of schemas that the converter gets wrong: ids are checked by code, which would come out as "nothing is
 * valid", and whole numbers get the bounds of JavaScript's exact range, which tell a reader nothing.
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
  return [required, schema];
};
