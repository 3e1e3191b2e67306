import { PICTURE_BYTES_MAX } from "@turnpike/domain/files/picture-type";
import type { RawOperation } from "./raw-operation.ts";
import { tenantParameter } from "./tenant-parameter.ts";

const LOGO_ID = { type: "string", pattern: "^[0-9a-f]{64}$" } as const;
const picture = { schema: { type: "string", format: "binary" } } as const;

const uploadLogo: RawOperation = {
  method: "put",
  path: "/tenants/{tenantId}/logo",
  scope: "tenants:write",
  operation: {
    operationId: "logos.upload",
    summary: "Set the logo of a tenant",
    description: `The body is the picture itself, at most ${String(PICTURE_BYTES_MAX)} bytes: PNG, JPEG, WebP, GIF (its first frame), AVIF or SVG, told by its bytes. It is drawn anew: only its pixels are kept.`,
    tags: ["Tenants"],
    parameters: [
      tenantParameter,
      {
        name: "fit",
        in: "query",
        description: "The whole picture with room around it, or a square out of its middle.",
        schema: { type: "string", enum: ["contain", "cover"], default: "contain" },
      },
    ],
    requestBody: { required: true, content: { "image/*": picture } },
    responses: {
      "200": {
        description: "Part of the address of its pictures.",
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["logoId"],
              additionalProperties: false,
              properties: { logoId: LOGO_ID },
            },
          },
        },
      },
    },
  },
};

const showLogo: RawOperation = {
  method: "get",
  path: "/logos/{logoId}/{picture}",
  scope: "public",
  operation: {
    operationId: "logos.show",
    summary: "Get a picture of a logo",
    description: "Its address changes with the logo, so that caches may keep it for ever.",
    tags: ["Tenants"],
    parameters: [
      { name: "logoId", in: "path", required: true, schema: LOGO_ID },
      {
        name: "picture",
        in: "path",
        required: true,
        description: "A square of so many pixels.",
        schema: { type: "string", enum: ["64.webp", "128.webp", "256.webp", "256.png"] },
      },
    ],
    responses: {
      "200": {
        description: "The picture.",
        content: { "image/webp": picture, "image/png": picture },
      },
    },
  },
};

export const LOGO_OPERATIONS: readonly RawOperation[] = [uploadLogo, showLogo];
