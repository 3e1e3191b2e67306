import { type OpenapiPaths, readOpenapiPaths } from "@turnpike/domain/routes/openapi-paths";
import { parse } from "yaml";

/** The largest document, in bytes. */
export const OPENAPI_BYTES_MAX = 16 * 1024 * 1024;

export type ParsedDocument = { ok: true; document: unknown } | { ok: false; reason: string };

function parseText(text: string): ParsedDocument {
  const isJson = text.trimStart().startsWith("{");
  try {
    const document: unknown = isJson ? JSON.parse(text) : parse(text, { logLevel: "error" });
    return { ok: true, document };
  } catch {
    return { ok: false, reason: `It is no ${isJson ? "JSON" : "YAML"}.` };
  }
}

/** Reads an OpenAPI document, JSON or YAML. Never throws: what is wrong is the reason. */
export function parseDocument(text: string): ParsedDocument {
  const parsed = parseText(text);
  const read = parsed.ok ? readOpenapiPaths(parsed.document) : parsed;
  return read.ok ? parsed : read;
}

/** Reads the paths of an OpenAPI document, JSON or YAML. Never throws: what is wrong is the reason. */
export function parseOpenapiText(text: string): OpenapiPaths {
  const parsed = parseText(text);
  return parsed.ok ? readOpenapiPaths(parsed.document) : parsed;
}
