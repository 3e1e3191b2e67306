import type { OpenAPI } from "@orpc/openapi";
import { FORWARD_AUTH_DIALECTS } from "@turnpike/contract/forward-auth";
import { AUDIT_OPERATIONS } from "./audit-operations.ts";
import { EVENT_OPERATIONS } from "./event-operations.ts";
import { EXPORT_OPERATIONS } from "./export-operations.ts";
import { FILE_OPERATIONS } from "./file-operations.ts";
import { INVOICE_OPERATIONS } from "./invoice-operations.ts";
import { LOGO_OPERATIONS } from "./logo-operations.ts";
import { PARTNER_OPERATIONS } from "./partner-operations.ts";
import type { RawOperation } from "./raw-operation.ts";
import { REPORT_OPERATIONS } from "./report-operations.ts";
import { STREAM_OPERATIONS } from "./stream-operations.ts";

const verifySignIn: RawOperation = {
  method: "post",
  path: "/auth/verify",
  isOutsideV1: true,
  scope: "public",
  operation: {
    operationId: "auth.verify",
    summary: "Verify an ID token: who that is, and the tenants they belong to",
    description:
      "Makes or updates the user, as every call with a valid ID token does. The answer holds nothing secret.",
    tags: ["Sign-in"],
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: { $ref: "#/components/schemas/VerifyTokenRequest" } },
      },
    },
    responses: {
      "200": {
        description: "The token is good.",
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/VerifyTokenResponse" } },
        },
      },
    },
  },
};

const IDENTITY_HEADERS: Record<string, OpenAPI.HeaderObject> = Object.fromEntries(
  [
    ["Tenant", "Id of the tenant."],
    ["Key", "Id of the key."],
    ["Environment", "`live` or `test`."],
    ["Plan", "Id of the plan."],
    ["Scopes", "Those of the key that its plan allows, separated by blanks."],
  ].map(([name, description]): [string, OpenAPI.HeaderObject] => [
    `X-Turnpike-${String(name)}`,
    { description: `${String(description)} \`-\` when there is none.`, schema: { type: "string" } },
  ]),
);

const authorizeCall: RawOperation = {
  method: "get",
  path: "/authorize/{dialect}",
  scope: "public",
  operation: {
    operationId: "gateway.authorize",
    summary: "Decide a call for a proxy that forwards it itself",
    description:
      "For the forward authorisation of proxies, with any method. The call is described by the headers of the dialect, its key is in `Authorization` or `X-Api-Key` as the caller sent it, and the query string is never read. Only [trusted proxies](/docs/adopt) may ask. It is metered when it is allowed. To nginx every denial is 403 with a ticket in `X-Turnpike-Denial`; the answer for the caller is at `/v1/authorize/nginx/denied`.",
    tags: ["Keys"],
    parameters: [
      {
        name: "dialect",
        in: "path",
        required: true,
        schema: { type: "string", enum: [...FORWARD_AUTH_DIALECTS] },
      },
    ],
    responses: {
      "200": {
        description: "The call may pass; the headers say whose it is. No body.",
        headers: IDENTITY_HEADERS,
      },
    },
  },
};

const readDocument: RawOperation = {
  method: "get",
  path: "/openapi.json",
  scope: "public",
  operation: {
    operationId: "api.describe",
    summary: "Get this description of the API",
    tags: ["API"],
    responses: {
      "200": {
        description: "An OpenAPI 3.1 document.",
        content: { "application/json": { schema: { type: "object" } } },
      },
    },
  },
};

export const RAW_OPERATIONS: readonly RawOperation[] = [
  ...REPORT_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...LOGO_OPERATIONS,
  verifySignIn,
  ...FILE_OPERATIONS,
  ...STREAM_OPERATIONS,
  ...EXPORT_OPERATIONS,
  ...INVOICE_OPERATIONS,
  ...EVENT_OPERATIONS,
  authorizeCall,
  ...PARTNER_OPERATIONS,
  readDocument,
];
