import { type OpenapiPaths, readOpenapiPaths } from "@turnpike/domain/routes/openapi-paths";
import { parse } from "yaml";

/** The largest document, in bytes. */
export const OPENAPI_BYTES_MAX = 16 * 1024 * 1024;

/** Reads the paths of an OpenAPI document, JSON or YAML. Never throws: what is wrong is the reason. */
export function parseOpenapiText(text: string): OpenapiPaths {
  const isJson = text.trimStart().startsWith("{");
  try {
    return readOpenapiPaths(isJson ? JSON.parse(text) : parse(text, { logLevel: "error" }));
  } catch {
    return { ok: false, reason: `It is no ${isJson ? "JSON" : "YAML"}.` };
  }
}
