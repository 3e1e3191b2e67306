import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { implement } from "@orpc/server";
import { FILE_BYTES_MAX, fileId, fileName, filesContract } from "@turnpike/contract/files";
import { tenantId } from "@turnpike/contract/shapes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { FILE_MEDIA_TYPES, parseFileMediaType } from "@turnpike/domain/files/media-type";
import type { HttpContext } from "#http/http-context.ts";
import {
  invalidRequest,
  type RawCall,
  type RawRoute,
  readQuery,
  sendJson,
  toFieldErrors,
} from "#http/raw-route.ts";
import { parseByteRange, toContentHeaders } from "./content-headers.ts";
import { deleteFile } from "./delete-file.ts";
import { getFile, listFiles, openFileContent } from "./read-files.ts";
import { completeUpload, createFileDownload, createUpload } from "./transfer-directly.ts";
import { type FilesDeps, uploadFile } from "./upload-file.ts";

export function createFilesRoutes(deps: FilesDeps) {
  const os = implement(filesContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listFiles(deps, context.call(), input)),
    get: os.get.handler(({ input, context }) => getFile(deps, context.call(), input)),
    delete: os.delete.handler(({ input, context }) => deleteFile(deps, context.call(), input)),
    createUpload: os.createUpload.handler(({ input, context }) =>
      createUpload(deps, context.call(), input),
    ),
    completeUpload: os.completeUpload.handler(({ input, context }) =>
      completeUpload(deps, context.call(), input),
    ),
    createDownload: os.createDownload.handler(({ input, context }) =>
      createFileDownload(deps, context.call(), input),
    ),
  });
}

/** A request that is refused before its body was read ends the connection, to save receiving the rest. */
const CLOSE = { connection: "close" };

function pathTenant(params: RawCall["params"]) {
  const parsed = tenantId.safeParse(params["tenantId"]);
  if (!parsed.success) {
    throw resourceNotFound("tenant");
  }
  return parsed.data;
}

async function upload(deps: FilesDeps, { req, res, params, context }: RawCall) {
  const call = context.call();
  const tenant = pathTenant(params);
  const name = fileName.safeParse(readQuery(req).get("name") ?? undefined);
  if (!name.success) {
    const [first] = toFieldErrors(name.error.issues);
    throw invalidRequest([{ pointer: "/name", message: first?.message ?? "Missing." }]);
  }
  const mediaType = parseFileMediaType(req.headers["content-type"]);
  if (mediaType === undefined) {
    throw new AppError({
      code: "UNSUPPORTED_MEDIA_TYPE",
      publicMessage: `Send one of ${FILE_MEDIA_TYPES.join(", ")} as Content-Type.`,
      headers: CLOSE,
    });
  }
  if (Number(req.headers["content-length"] ?? 0) > FILE_BYTES_MAX) {
    throw new AppError({
      code: "PAYLOAD_TOO_LARGE",
      publicMessage: `A file may have at most ${String(FILE_BYTES_MAX)} bytes.`,
      headers: CLOSE,
    });
  }
  const input = { tenantId: tenant, name: name.data, mediaType, content: req };
  const file = await uploadFile(deps, call, input).catch((error: unknown) => {
    if (req.readableAborted && !(error instanceof AppError)) {
      throw new AppError({
        code: "MALFORMED_REQUEST",
        publicMessage: "The upload ended before the whole file was sent.",
        cause: error,
      });
    }
    throw error;
  });
  sendJson(res, 201, file);
}

async function download(deps: FilesDeps, { req, res, params, context }: RawCall) {
  const call = context.call();
  const id = fileId.safeParse(params["fileId"]);
  const tenant = pathTenant(params);
  if (!id.success) {
    throw resourceNotFound("file");
  }
  const file = await getFile(deps, call, { tenantId: tenant, fileId: id.data });
  const range = parseByteRange(req.headers.range, file.bytes);
  if (range === "unsatisfiable") {
    res.writeHead(416, {
      "content-range": `bytes */${String(file.bytes)}`,
      "cache-control": "no-store",
    });
    res.end();
    return;
  }
  const content = await openFileContent(deps, file, range);
  res.writeHead(range === undefined ? 200 : 206, toContentHeaders(file, range));
  await pipeline(Readable.from(content), res).catch((error: unknown) => {
    // The head is already sent. Only cutting the connection keeps the client from taking a fragment for the whole file.
    res.destroy();
    context.logger.debug({ err: error, fileId: file.fileId }, "a download was broken off");
  });
}

/** Uploads and downloads are streams, which the contract library would hold in memory. */
export function createFilesRawRoutes(deps: FilesDeps): RawRoute[] {
  return [
    {
      method: "PUT",
      path: "/v1/tenants/{tenantId}/files",
      handle: (call) => upload(deps, call),
    },
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/files/{fileId}/content",
      handle: (call) => download(deps, call),
    },
  ];
}
