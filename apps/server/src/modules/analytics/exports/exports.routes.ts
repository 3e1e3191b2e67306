import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { implement } from "@orpc/server";
import { exportId, exportsContract } from "@turnpike/contract/exports";
import { tenantId } from "@turnpike/contract/shapes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { HttpContext } from "#http/http-context.ts";
import { type RawCall, type RawRoute, readQuery } from "#http/raw-route.ts";
import { toAttachmentHeaders } from "#modules/files/index.ts";
import { createDownload, type DownloadDeps, openDownload } from "./download-export.ts";
import {
  cancelExport,
  createExport,
  deleteExport,
  type ExportsDeps,
  getExport,
  listExports,
} from "./manage-exports.ts";

export function createExportsRoutes(deps: ExportsDeps & DownloadDeps) {
  const os = implement(exportsContract).$context<HttpContext>();
  return os.router({
    create: os.create.handler(({ input, context }) => createExport(deps, context.call(), input)),
    list: os.list.handler(({ input, context }) => listExports(deps, context.call(), input)),
    get: os.get.handler(({ input, context }) => getExport(deps, context.call(), input)),
    cancel: os.cancel.handler(({ input, context }) => cancelExport(deps, context.call(), input)),
    delete: os.delete.handler(({ input, context }) => deleteExport(deps, context.call(), input)),
    download: os.download.handler(({ input, context }) =>
      createDownload(deps, context.call(), input),
    ),
  });
}

const MEDIA_TYPES = {
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json",
} as const;

async function send(deps: DownloadDeps, { req, res, params, context }: RawCall): Promise<void> {
  const tenant = tenantId.safeParse(params["tenantId"]);
  const id = exportId.safeParse(params["exportId"]);
  if (!tenant.success || !id.success) {
    throw resourceNotFound("export");
  }
  const query = readQuery(req);
  const { row, bytes, content } = await openDownload(
    deps,
    { tenantId: tenant.data, exportId: id.data },
    { expires: query.get("expires") ?? "", signature: query.get("signature") ?? "" },
  );
  const days = [row.from_at, row.to_at].map((at) => at.toISOString().slice(0, 10));
  res.writeHead(
    200,
    toAttachmentHeaders({
      name: `${row.name} ${days.join(" to ")}.${row.format}`.replaceAll(/[/\\]/g, "-"),
      mediaType: MEDIA_TYPES[row.format],
      bytes,
    }),
  );
  if (req.method === "HEAD") {
    res.end();
    return;
  }
  await pipeline(Readable.from(content), res).catch((error: unknown) => {
    // The head is sent. Cutting the connection keeps the reader from taking half a file for the whole.
    res.destroy();
    context.logger.debug({ err: error, exportId: id.data }, "a download was broken off");
  });
}

/** Serves the content at an address that carries its own permission, because a browser that saves a file sends no credential. */
export function createExportsRawRoutes(deps: DownloadDeps): RawRoute[] {
  return [
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/exports/{exportId}/content",
      handle: (call) => send(deps, call),
    },
  ];
}
