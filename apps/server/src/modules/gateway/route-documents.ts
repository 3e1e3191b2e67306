import { hash } from "node:crypto";
import { Worker } from "node:worker_threads";
import { type PathMapping, toCallersPath } from "@turnpike/domain/routes/openapi-paths";
import type { Reference } from "@turnpike/domain/routes/read-reference";
import { createRouteTable, type RouteTable } from "@turnpike/domain/routes/route-table";
import { limitHeap } from "#platform/limit-heap.ts";
import type { Logger } from "#platform/logger.ts";
import type { Outbound } from "#platform/outbound.ts";
import { OPENAPI_BYTES_MAX, type ReadOpenapi } from "#platform/parse-openapi-text.ts";
import { readOpenapiFile } from "#platform/read-openapi-file.ts";
import { findKeptPaths, keepPaths } from "./kept-paths.ts";
import type { OpenapiSource, Upstream } from "./proxy/upstream-router.ts";

/** Templates of routes by the documents of the upstreams. */
export type RouteDocuments = {
  /**
   * The most specific template that a path matches.
   *
   * @param upstream - Its name; undefined for calls that do not go through the gateway: every document is asked, in the
   *   order of the upstreams.
   */
  findRoute(upstream: string | undefined, rawTarget: string): string | undefined;
  /** What the documents at hand describe, with paths as callers send them; in the order of the upstreams. */
  listReferences(): { upstream: string; reference: Reference }[];
  /** Path and query of a call to begin with, as callers send it; undefined when no document gives one. */
  findSamplePath(): string | undefined;
  /** Why a document is out of date, as a sentence; undefined when none is. */
  readonly trouble: string | undefined;
  /** Reads every document again. One that cannot be read or is broken leaves the last good one in use. */
  refresh(): Promise<void>;
  /** Reads the documents now, and again at the shortest interval that one of them asks for, until `stop`. */
  keepFresh(stop: AbortSignal): void;
};

const FETCH_TIMEOUT_MS = 10_000;
/** Enough for the largest document on a busy machine. */
const PARSE_TIMEOUT_MS = 30_000;
/** Memory limit of the parsing thread, in megabytes. */
const PARSE_MEMORY_MB = 512;

type Source = {
  upstream: Upstream;
  openapi: OpenapiSource;
  table: RouteTable | undefined;
  reference: Reference | undefined;
  samplePath: string | undefined;
  /** Of the document at hand. */
  digest: string | undefined;
  etag: string | undefined;
  trouble: string | undefined;
};

/** Parses a document in a thread, where it delays no call. */
async function parseInThread(text: string): Promise<ReadOpenapi> {
  const worker = new Worker(new URL("../../platform/parse-openapi-thread.ts", import.meta.url), {
    workerData: text,
    resourceLimits: limitHeap(PARSE_MEMORY_MB),
  });
  const timer = setTimeout(() => void worker.terminate(), PARSE_TIMEOUT_MS);
  try {
    return await new Promise<ReadOpenapi>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("It takes too long to read.")));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

async function fetchText(
  { openapi, etag }: Source,
  outbound: Pick<Outbound, "getTextIfChanged">,
): Promise<{ text: string; etag: string | undefined } | undefined> {
  if ("file" in openapi) {
    return { text: readOpenapiFile(openapi.file), etag: undefined };
  }
  const limits = { timeoutMs: FETCH_TIMEOUT_MS, bytesMax: OPENAPI_BYTES_MAX };
  return await outbound.getTextIfChanged(openapi.url, limits, etag);
}

function toMapping({ target, prefix, stripPrefix }: Upstream): PathMapping {
  return { basePath: target.basePath, prefix, stripPrefix };
}

function toTable(paths: readonly string[], upstream: Upstream): RouteTable {
  const mapping = toMapping(upstream);
  return createRouteTable(paths.map((path) => toCallersPath(path, mapping)));
}

/** The reference with paths as callers send them. */
function toCallersReference(reference: Reference, upstream: Upstream): Reference {
  const mapping = toMapping(upstream);
  const operations = reference.operations.map((operation) => {
    const path = toCallersPath(operation.path, mapping);
    return { ...operation, path, address: path };
  });
  return { ...reference, operations };
}

/**
 * Makes the routes of what upstreams document, empty until {@link RouteDocuments.refresh} has read them: no call waits for a
 * document.
 */
export function createRouteDocuments(
  deps: {
    outbound: Pick<Outbound, "getTextIfChanged">;
    logger: Logger;
    /** Where the last good paths of addresses are kept for the next start; left out: nowhere. */
    folder?: string;
  },
  upstreams: readonly Upstream[],
): RouteDocuments {
  const sources = upstreams.flatMap((upstream): Source[] =>
    upstream.openapi === undefined
      ? []
      : [
          {
            upstream,
            openapi: upstream.openapi,
            table: undefined,
            reference: undefined,
            samplePath: undefined,
            digest: undefined,
            etag: undefined,
            trouble: undefined,
          },
        ],
  );

  function keep({ upstream, openapi }: Source, paths: readonly string[]): void {
    if (deps.folder === undefined || !("url" in openapi)) {
      return;
    }
    try {
      keepPaths(deps.folder, upstream.name, { url: openapi.url, paths });
    } catch (error) {
      deps.logger.warn({ upstream: upstream.name, err: error }, "Routes cannot be kept");
    }
  }

  function restore(source: Source): void {
    const { upstream, openapi } = source;
    const paths =
      deps.folder === undefined || !("url" in openapi)
        ? undefined
        : findKeptPaths(deps.folder, upstream.name, openapi.url);
    source.table = paths && toTable(paths, upstream);
  }

  async function refreshOne(source: Source): Promise<void> {
    const fresh = await fetchText(source, deps.outbound);
    const digest = fresh && hash("sha256", fresh.text);
    if (fresh === undefined || digest === source.digest) {
      return;
    }
    const read = await parseInThread(fresh.text);
    if (!read.ok) {
      throw new Error(read.reason);
    }
    source.table = toTable(read.paths, source.upstream);
    source.reference = read.reference && toCallersReference(read.reference, source.upstream);
    source.samplePath =
      read.samplePath && toCallersPath(read.samplePath, toMapping(source.upstream));
    source.digest = digest;
    source.etag = fresh.etag;
    keep(source, read.paths);
    deps.logger.info(
      { upstream: source.upstream.name, routes: source.table.size },
      "Routes are those of the upstream's OpenAPI document",
    );
  }

  async function tryRefresh(source: Source): Promise<void> {
    try {
      await refreshOne(source);
      source.trouble = undefined;
    } catch (error) {
      if (source.table === undefined) {
        restore(source);
      }
      // Anyone may read the health, so paths and addresses go to the log only.
      const left = source.table === undefined ? "its routes are learned" : "the last good one is";
      source.trouble = `The OpenAPI document of the upstream ${source.upstream.name} cannot be used, ${left}.`;
      deps.logger.warn(
        { upstream: source.upstream.name, err: error },
        "An OpenAPI document cannot be used",
      );
    }
  }

  async function refresh(): Promise<void> {
    await Promise.all(sources.map(tryRefresh));
  }

  return {
    findRoute: (upstream, rawTarget) => {
      for (const { upstream: own, table } of sources) {
        const found =
          upstream === undefined || own.name === upstream ? table?.find(rawTarget) : undefined;
        if (found !== undefined) {
          return found;
        }
      }
      return undefined;
    },
    listReferences: () =>
      sources.flatMap(({ upstream, reference }) =>
        reference === undefined ? [] : [{ upstream: upstream.name, reference }],
      ),
    findSamplePath: () => sources.find(({ samplePath }) => samplePath !== undefined)?.samplePath,
    get trouble() {
      return sources.find(({ trouble }) => trouble !== undefined)?.trouble;
    },
    refresh,
    keepFresh(stop) {
      const seconds = sources.map(({ openapi }) => openapi.refreshSeconds);
      if (seconds.length === 0) {
        return;
      }
      const intervalMs = Math.min(...seconds) * 1_000;
      const run = async (): Promise<void> => {
        if (stop.aborted) {
          return;
        }
        await refresh();
        const timer = setTimeout(() => void run(), intervalMs);
        timer.unref();
      };
      void run();
    },
  };
}
