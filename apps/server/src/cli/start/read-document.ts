import { toCallersPath } from "@turnpike/domain/routes/openapi-paths";
import { findSamplePath } from "@turnpike/domain/routes/sample-path";
import { OPENAPI_BYTES_MAX, parseDocument } from "#platform/parse-openapi-text.ts";
import { readTextFile } from "#platform/read-text-file.ts";
import { ask } from "../remote/remote-api.ts";
import { UsageError } from "../usage-error.ts";

/** Where a document is, as the configuration names it, and a call that it describes. */
export type NamedDocument = {
  source: { file: string } | { url: string };
  samplePath: string | undefined;
};

async function download(url: string): Promise<string> {
  const reply = await ask(url, { headers: { Accept: "application/json, application/yaml, */*" } });
  const text = await reply.text();
  if (!reply.ok || text.length > OPENAPI_BYTES_MAX) {
    throw new UsageError(`${url} answered with status ${String(reply.status)}, and no document`);
  }
  return text;
}

function read(path: string): string {
  try {
    return readTextFile(path, OPENAPI_BYTES_MAX).text;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Reads the document that a person names before anything starts.
 *
 * @param input.named - A path or an address.
 * @param input.upstreamUrl - Where the API is: what callers leave out of a path.
 * @throws {UsageError} when it is no OpenAPI document; {@link RemoteError} when no answer comes.
 */
export async function readNamedDocument(input: {
  named: string;
  upstreamUrl: string;
  toPath(relative: string): string;
}): Promise<NamedDocument> {
  const { named, upstreamUrl, toPath } = input;
  const isAddress = /^https?:\/\//i.test(named);
  const path = toPath(named);
  const parsed = parseDocument(isAddress ? await download(named) : read(path));
  if (!parsed.ok) {
    throw new UsageError(`${named}: ${parsed.reason}`);
  }
  const found = findSamplePath(parsed.document);
  const basePath = new URL(upstreamUrl).pathname.replace(/\/$/, "");
  return {
    source: isAddress ? { url: named } : { file: path },
    samplePath:
      found === undefined
        ? undefined
        : toCallersPath(found, { basePath, prefix: "/", stripPrefix: false }),
  };
}
