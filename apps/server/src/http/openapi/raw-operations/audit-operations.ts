import type { OpenAPI } from "@orpc/openapi";
import { AUDIT_ACTOR_TYPES, AUDIT_FORMATS } from "@turnpike/contract/audit";
import type { RawOperation } from "./raw-operation.ts";
import { tenantParameter } from "./tenant-parameter.ts";

const time = { type: "string", format: "date-time" } as const;

const filters: OpenAPI.ParameterObject[] = [
  {
    name: "format",
    in: "query",
    required: true,
    schema: { type: "string", enum: [...AUDIT_FORMATS] },
  },
  { name: "entityId", in: "query", schema: { type: "string", maxLength: 64 } },
  { name: "actorId", in: "query", schema: { type: "string", maxLength: 128 } },
  { name: "actorType", in: "query", schema: { type: "string", enum: [...AUDIT_ACTOR_TYPES] } },
  {
    name: "action",
    in: "query",
    description: "One action, or with a noun alone all of it.",
    schema: { type: "string", maxLength: 64, example: "member" },
  },
  { name: "from", in: "query", description: "Inclusive.", schema: time },
  { name: "to", in: "query", description: "Exclusive.", schema: time },
  { name: "search", in: "query", schema: { type: "string", maxLength: 100 } },
];

const DESCRIPTION =
  "All entries that the filters leave, newest first, in CSV (RFC 4180) or as one JSON document a line. In CSV, texts that a spreadsheet would take for formulas begin with an apostrophe. The export is itself an entry of the trail.";

const responses: OpenAPI.ResponsesObject = {
  "200": {
    description: "The file, as an attachment. Without the end of its body it is not whole.",
    content: {
      "text/csv": { schema: { type: "string" } },
      "application/jsonl": { schema: { type: "string" } },
    },
  },
};

function toOperation(input: {
  path: string;
  operationId: string;
  summary: string;
  parameters: OpenAPI.ParameterObject[];
}): RawOperation {
  const { path, ...operation } = input;
  return {
    ...{ method: "get", path, scope: "audit:read" },
    operation: { ...operation, description: DESCRIPTION, tags: ["Tenants"], responses },
  };
}

/** Audit trails as files. */
export const AUDIT_OPERATIONS: readonly RawOperation[] = [
  toOperation({
    path: "/tenants/{tenantId}/audit/export",
    operationId: "tenants.exportAudit",
    summary: "Export audit entries of a tenant",
    parameters: [tenantParameter, ...filters],
  }),
  toOperation({
    path: "/audit/export",
    operationId: "tenants.exportInstallationAudit",
    summary: "Export audit entries of the installation; for operators",
    parameters: filters,
  }),
  toOperation({
    path: "/audit/tenants/export",
    operationId: "tenants.exportAllAudit",
    summary: "Export audit entries of all tenants; for operators",
    parameters: filters,
  }),
];
