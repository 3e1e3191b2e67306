import type { OpenAPI } from "@orpc/openapi";
import { FILE_BYTES_MAX } from "@turnpike/contract/files";
import { FILE_MEDIA_TYPES } from "@turnpike/domain/files/media-type";
import { anyFile } from "./any-file.ts";
import type { RawOperation } from "./raw-operation.ts";
import { tenantParameter } from "./tenant-parameter.ts";

const fileParameter: OpenAPI.ParameterObject = {
  name: "fileId",
  in: "path",
  required: true,
  schema: { type: "string", pattern: "^file_[0-9a-f]{32}$" },
};

const uploadFile: RawOperation = {
  method: "put",
  path: "/tenants/{tenantId}/files",
  scope: "files:write",
  operation: {
    operationId: "files.upload",
    summary: "Upload a file",
    description: `The body is the file itself, at most ${String(FILE_BYTES_MAX)} bytes. Its first bytes must be those of the type that Content-Type names.`,
    tags: ["Files"],
    parameters: [
      tenantParameter,
      {
        name: "name",
        in: "query",
        required: true,
        description: "The name that people see, at most 200 characters, without slashes.",
        schema: { type: "string", minLength: 1, maxLength: 200 },
      },
    ],
    requestBody: {
      required: true,
      content: Object.fromEntries(FILE_MEDIA_TYPES.map((type) => [type, { schema: anyFile }])),
    },
    responses: {
      "201": {
        description: "The stored file.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/File" } } },
      },
    },
  },
};

const contentHeaders: Record<string, OpenAPI.HeaderObject> = {
  "Content-Disposition": {
    description: "Always an attachment, with the file's name.",
    schema: { type: "string" },
  },
  ETag: { description: "The file's SHA-256.", schema: { type: "string" } },
};

const downloadFile: RawOperation = {
  method: "get",
  path: "/tenants/{tenantId}/files/{fileId}/content",
  scope: "files:read",
  operation: {
    operationId: "files.download",
    summary: "Download a file",
    tags: ["Files"],
    parameters: [
      tenantParameter,
      fileParameter,
      {
        name: "Range",
        in: "header",
        description: "One range in bytes; several are answered with the whole file.",
        example: "bytes=0-1023",
        schema: { type: "string" },
      },
    ],
    responses: {
      "200": {
        description: "The whole file, under the media type it was stored with.",
        headers: contentHeaders,
        content: { "*/*": { schema: anyFile } },
      },
      "206": {
        description: "The range that was asked for.",
        headers: {
          ...contentHeaders,
          "Content-Range": { description: "Which bytes these are.", schema: { type: "string" } },
        },
        content: { "*/*": { schema: anyFile } },
      },
      "416": { description: "The range lies outside of the file. No body." },
    },
  },
};

/** Bytes of files, up and down. */
export const FILE_OPERATIONS: readonly RawOperation[] = [uploadFile, downloadFile];
