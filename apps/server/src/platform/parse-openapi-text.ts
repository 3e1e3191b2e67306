import { listBasePaths, readOpenapiPaths } from "@turnpike/domain/routes/openapi-paths";
import {
  type Reference,
  readReference,
  type ToAddress,
} from "@turnpike/domain/routes/read-reference";
import { findSamplePath } from "@turnpike/domain/routes/sample-path";
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

/** What is read of an upstream's document. */
export type ReadOpenapi =
  | {
      ok: true;
      paths: string[];
      /** Undefined when it is too large to be shown. */
      reference: Reference | undefined;
      /** A call to begin with, as the API knows it; undefined when the document gives no examples for any. */
      samplePath: string | undefined;
    }
  | { ok: false; reason: string };

/** Of a reference as JSON, in characters: pages are made of it, and every process keeps it. */
const REFERENCE_LENGTH_MAX = 8 * 1024 * 1024;

const toAddress: ToAddress = (path, servers) => {
  const [base = ""] = listBasePaths(servers);
  return { path: base + path, address: base + path };
};

/** Reads paths and reference of an OpenAPI document, JSON or YAML. Never throws: what is wrong is the reason. */
export function parseOpenapiText(text: string): ReadOpenapi {
  const parsed = parseText(text);
  const read = parsed.ok ? readOpenapiPaths(parsed.document) : parsed;
  if (!parsed.ok || !read.ok) {
    return read.ok ? { ok: false, reason: "It cannot be read." } : read;
  }
  const reference = readReference(parsed.document, toAddress);
  const isSmall = JSON.stringify(reference).length <= REFERENCE_LENGTH_MAX;
  return {
    ok: true,
    paths: read.paths,
    reference: isSmall ? reference : undefined,
    samplePath: findSamplePath(parsed.document),
  };
}
