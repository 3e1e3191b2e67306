import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { implement } from "@orpc/server";
import { logoId, logosContract } from "@turnpike/contract/logos";
import { tenantId } from "@turnpike/contract/shapes";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { PICTURE_BYTES_MAX } from "@turnpike/domain/files/picture-type";
import type { HttpContext } from "#http/http-context.ts";
import {
  invalidRequest,
  type RawCall,
  type RawRoute,
  readBody,
  readQuery,
  sendJson,
} from "#http/raw-route.ts";
import { toAttachmentHeaders } from "#modules/files/index.ts";
import { openLogo } from "./open-logo.ts";
import { type LogoDeps, removeLogo, setLogo } from "./set-logo.ts";

export function createLogosRoutes(deps: Omit<LogoDeps, "drawer">) {
  const os = implement(logosContract).$context<HttpContext>();
  return os.router({
    remove: os.remove.handler(({ input, context }) => removeLogo(deps, context.call(), input)),
  });
}

async function upload(deps: LogoDeps, { req, res, params, context }: RawCall): Promise<void> {
  const call = context.call();
  const tenant = tenantId.safeParse(params["tenantId"]);
  if (!tenant.success) {
    throw resourceNotFound("tenant");
  }
  const fit = readQuery(req).get("fit") ?? "contain";
  if (fit !== "contain" && fit !== "cover") {
    throw invalidRequest([{ pointer: "/fit", message: "Either contain or cover." }]);
  }
  const bytes = await readBody(req, PICTURE_BYTES_MAX);
  sendJson(res, 200, await setLogo(deps, call, { tenantId: tenant.data, bytes, fit }));
}

async function show(deps: LogoDeps, { res, params, context }: RawCall): Promise<void> {
  const id = logoId.safeParse(params["logoId"]);
  const picture = params["picture"] ?? "";
  if (!id.success) {
    throw resourceNotFound("logo");
  }
  const { content, bytes, mediaType } = await openLogo(deps, { logoId: id.data, picture });
  res.writeHead(200, {
    ...toAttachmentHeaders({ name: picture, mediaType, bytes }),
    // The address changes with the picture.
    "cache-control": "public, max-age=31536000, immutable",
    // Pages of the API and of the console may have different origins.
    "cross-origin-resource-policy": "cross-origin",
  });
  await pipeline(Readable.from(content), res).catch((error: unknown) => {
    res.destroy();
    context.logger.debug({ err: error, logoId: id.data }, "a picture was broken off");
  });
}

/** Pictures come and go as they are, which the contract library cannot express. */
export function createLogosRawRoutes(deps: LogoDeps): RawRoute[] {
  return [
    {
      method: "PUT",
      path: "/v1/tenants/{tenantId}/logo",
      handle: (call) => upload(deps, call),
    },
    { method: "GET", path: "/v1/logos/{logoId}/{picture}", handle: (call) => show(deps, call) },
  ];
}
