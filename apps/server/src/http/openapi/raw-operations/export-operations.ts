import type { OpenAPI } from "@orpc/openapi";
import { anyFile } from "./any-file.ts";
import type { RawOperation } from "./raw-operation.ts";
import { tenantParameter } from "./tenant-parameter.ts";

const downloadExport: RawOperation = {
  method: "get",
  path: "/tenants/{tenantId}/exports/{exportId}/content",
  scope: "public",
  operation: {
    operationId: "exports.content",
    summary: "Download an export by the address that was made for it",
    description:
      "The address of `POST …/exports/{exportId}/download`, which carries its own permission and is good for five minutes. Texts that a spreadsheet would take for formulas begin with an apostrophe.",
    tags: ["Exports"],
    parameters: [
      tenantParameter,
      {
        name: "exportId",
        in: "path",
        required: true,
        schema: { type: "string", pattern: "^exp_[0-9a-f]{32}$" },
      },
      ...["expires", "signature"].map(
        (name): OpenAPI.ParameterObject => ({
          name,
          in: "query",
          required: true,
          schema: { type: "string" },
        }),
      ),
    ],
    responses: {
      "200": {
        description: "The content, as an attachment.",
        content: { "text/csv": { schema: anyFile }, "application/json": { schema: anyFile } },
      },
    },
  },
};

const exportUsage: RawOperation = {
  method: "get",
  path: "/tenants/{tenantId}/usage.csv",
  scope: "usage:read",
  operation: {
    operationId: "usage.export",
    summary: "Usage of a tenant as CSV",
    description:
      "Takes the parameters of `GET /tenants/{tenantId}/usage`. Columns: `time` with a grain, the dimensions, the measures. Texts that a spreadsheet would take for formulas begin with an apostrophe.",
    tags: ["Usage"],
    parameters: [tenantParameter],
    responses: {
      "200": {
        description: "One line for each row, under a line of names.",
        headers: {
          "X-Turnpike-Truncated": {
            description: "`true` when there were more rows than `limit`, else `false`.",
            schema: { type: "string", enum: ["true", "false"] },
          },
        },
        content: { "text/csv": { schema: { type: "string" } } },
      },
    },
  },
};

const exportAllUsage: RawOperation = {
  ...exportUsage,
  path: "/usage.csv",
  operation: {
    ...exportUsage.operation,
    operationId: "usage.exportAll",
    summary: "Usage of all tenants as CSV",
    description: "Takes the parameters of `GET /usage`.",
    parameters: [],
  },
};

/** Exports, and usage as CSV. */
export const EXPORT_OPERATIONS: readonly RawOperation[] = [
  downloadExport,
  exportUsage,
  exportAllUsage,
];
