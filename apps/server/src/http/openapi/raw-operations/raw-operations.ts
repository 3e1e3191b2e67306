import type { OpenAPI } from "@orpc/openapi";
import { EVENTS_BYTES_MAX, EVENTS_MAX } from "@turnpike/contract/events";
import { FILE_BYTES_MAX } from "@turnpike/contract/files";
import { FORWARD_AUTH_DIALECTS } from "@turnpike/contract/forward-auth";
import { FILE_MEDIA_TYPES } from "@turnpike/domain/files/media-type";
import {
  QUESTION_LENGTH_MAX,
  QUESTIONS_BEFORE_MAX,
} from "@turnpike/domain/questions/question-limits";
import { AUDIT_OPERATIONS } from "./openapi-audit-operations.ts";
import { LOGO_OPERATIONS } from "./openapi-logo-operations.ts";
import { REPORT_OPERATIONS } from "./openapi-report-operations.ts";
import type { RawOperation } from "./raw-operation.ts";

const tenantParameter: OpenAPI.ParameterObject = {
  name: "tenantId",
  in: "path",
  required: true,
  schema: { $ref: "#/components/schemas/TenantId" },
};
const fileParameter: OpenAPI.ParameterObject = {
  name: "fileId",
  in: "path",
  required: true,
  schema: { type: "string", pattern: "^file_[0-9a-f]{32}$" },
};
const anyFile = { type: "string", format: "binary" } as const;

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

const followDocuments: RawOperation = {
  method: "get",
  path: "/tenants/{tenantId}/documents/{collection}/changes",
  scope: "documents:read",
  operation: {
    operationId: "documents.changes",
    summary: "Follow the changes of a collection",
    description:
      "A stream of server-sent events: `change` with the new state of a document (one event may cover several changes), and `reset` when deletions since the reader's position are no longer known and everything follows from the beginning. Silence is broken every 15 seconds; the server ends a stream after an hour. At most six are open for one credential.",
    tags: ["Documents"],
    parameters: [
      tenantParameter,
      {
        name: "collection",
        in: "path",
        required: true,
        schema: { type: "string", pattern: "^[a-z][a-z0-9-]{0,63}$" },
      },
      {
        name: "Last-Event-ID",
        in: "header",
        description:
          "The id of the last event that was seen, a revision: the stream goes on behind it. Left out: from the beginning.",
        schema: { type: "string", pattern: "^\\d{1,19}$" },
      },
    ],
    responses: {
      "200": {
        description: "Events, for as long as the connection is open.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
    },
  },
};

const followNews: RawOperation = {
  method: "get",
  path: "/tenants/{tenantId}/news",
  scope: "documents:read",
  operation: {
    operationId: "documents.news",
    summary: "Hear that something of a tenant changed",
    description:
      "A stream of server-sent events: `news` names the collections that have changed documents, and says whether notifications came or were read, without content, so that one connection keeps a whole screen fresh. The first event says that anything may have changed. Collections of other people are never named. Silence is broken every 15 seconds; the server ends a stream after an hour. At most six are open for one credential, together with the streams of collections.",
    tags: ["Documents"],
    parameters: [tenantParameter],
    responses: {
      "200": {
        description: "Events, for as long as the connection is open.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
    },
  },
};

const followCalls: RawOperation = {
  method: "get",
  path: "/tenants/{tenantId}/usage/live",
  scope: "usage:read",
  operation: {
    operationId: "usage.live",
    summary: "Follow the calls of a tenant as they happen",
    description:
      "A stream of server-sent events: `calls` with the calls that ended since the event before (time, key, environment, method, route, status, outcome, latency, bytes) and how many came too fast to be shown, and `coverage` with whether calls of other processes arrive. Takes the filters of `GET /tenants/{tenantId}/usage`. Nothing is stored: a reader that reconnects sees what happens from then on. Silence is broken every 15 seconds; the server ends a stream after an hour. At most six are open for one credential.",
    tags: ["Usage"],
    parameters: [
      tenantParameter,
      ...[
        "key",
        "route",
        "method",
        "status",
        "status_class",
        "outcome",
        "environment",
        "model",
      ].map(
        (name): OpenAPI.ParameterObject => ({
          name,
          in: "query",
          description: "A comma list; left out, all pass.",
          schema: { type: "string" },
        }),
      ),
    ],
    responses: {
      "200": {
        description: "Events, for as long as the connection is open.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
    },
  },
};

const askModel: RawOperation = {
  method: "post",
  path: "/tenants/{tenantId}/questions/model",
  scope: "usage:read",
  operation: {
    operationId: "modelAnswers.ask",
    summary: "Ask the language model about a tenant",
    description:
      "A stream of server-sent events. `start` has the built-in answer, which stands. Then come `text` (pieces of the model's text), `withheld` (in place of a number that no result has), `call` and `result` (what the model asked, and how that ended), `proposal` (a change that waits for a person) and `check` (where the model's query is not that of the built-in grammar). `end` is the last and says why. Without a model that may be asked, `end` follows `start`. The question and the results of the model's calls are sent to the model's endpoint. Silence is broken every 15 seconds.",
    tags: ["Questions"],
    parameters: [tenantParameter],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            required: ["question"],
            additionalProperties: false,
            properties: {
              question: { type: "string", minLength: 1, maxLength: QUESTION_LENGTH_MAX },
              after: {
                type: "array",
                description: "Questions before, the oldest first.",
                maxItems: QUESTIONS_BEFORE_MAX,
                items: { type: "string", maxLength: QUESTION_LENGTH_MAX },
              },
              timeZone: {
                type: "string",
                description: "A name of the IANA database. Default UTC.",
              },
            },
          },
        },
      },
    },
    responses: {
      "200": {
        description: "Events, until the answer has ended.",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
    },
  },
};

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

/** The download of an issued document as a file. */
function downloadOf({
  name,
  operationId,
  summary,
  description,
  parameters = [],
  content,
}: {
  /** The last part of the path. */
  name: string;
  operationId: string;
  summary: string;
  description: string;
  parameters?: RawOperation["operation"]["parameters"];
  content: NonNullable<OpenAPI.ResponseObject["content"]>;
}): RawOperation {
  return {
    method: "get",
    path: `/tenants/{tenantId}/invoices/{invoiceId}/${name}`,
    scope: "billing:read",
    operation: {
      operationId,
      summary,
      description,
      tags: ["Billing"],
      parameters: [
        tenantParameter,
        {
          name: "invoiceId",
          in: "path",
          required: true,
          schema: { type: "string", pattern: "^inv_[0-9a-f]{32}$" },
        },
        ...parameters,
      ],
      responses: {
        "200": {
          description: "The document, as an attachment.",
          headers: {
            "Content-Disposition": {
              description: "Always an attachment, named by the number of the document.",
              schema: { type: "string" },
            },
          },
          content,
        },
      },
    },
  };
}

const downloadInvoiceLines = downloadOf({
  name: "csv",
  operationId: "billing.downloadInvoiceLines",
  summary: "Download an invoice as CSV",
  description:
    "A line for each line of the invoice, each tax, and each of its sums, under a line of names; `record` says which. Amounts are in major units. Texts that a spreadsheet would take for formulas begin with an apostrophe.",
  content: { "text/csv": { schema: { type: "string" } } },
});

const creditNoteParameter = {
  name: "creditNote",
  in: "query",
  description: "Id of a credit note of the invoice, to download that instead.",
  schema: { type: "string", pattern: "^crn_[0-9a-f]{32}$" },
} as const;

const downloadInvoice = downloadOf({
  name: "pdf",
  operationId: "billing.downloadInvoice",
  summary: "Download an invoice or a credit note as PDF",
  description:
    "As it was issued: the same document always gives the same bytes. What was paid or credited since is not on it. Where the document has a form by EN 16931, it is inside (Factur-X).",
  parameters: [creditNoteParameter],
  content: { "application/pdf": { schema: anyFile } },
});

const downloadEInvoice = downloadOf({
  name: "xml",
  operationId: "billing.downloadEInvoice",
  summary: "Download an invoice or a credit note as an e-invoice by EN 16931",
  description:
    "As it was issued: the same document always gives the same bytes. 409 with the reason `no_e_invoice` when it has no such form, for example in a currency with three decimals or without a tax.",
  parameters: [
    {
      name: "format",
      in: "query",
      description: "The syntax: UBL 2.1 or Cross Industry Invoice.",
      schema: { type: "string", enum: ["ubl", "cii"], default: "ubl" },
    },
    creditNoteParameter,
  ],
  content: { "application/xml": { schema: { type: "string" } } },
});

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

const reportLeaks: RawOperation = {
  method: "post",
  path: "/leaks/github",
  scope: "public",
  operation: {
    operationId: "leaks.github",
    summary: "Take a report of keys that GitHub's secret scanning found in public",
    description:
      "GitHub's protocol for secret-scanning partners: at most 1,000 tokens and 1 MB, signed with a key that GitHub publishes. The signature is over the very bytes of the body.",
    tags: ["Keys"],
    parameters: [
      {
        name: "Github-Public-Key-Identifier",
        in: "header",
        required: true,
        description: "Which of GitHub's keys signed the body.",
        schema: { type: "string" },
      },
      {
        name: "Github-Public-Key-Signature",
        in: "header",
        required: true,
        description: "ECDSA over P-256 with SHA-256, DER in base64.",
        schema: { type: "string" },
      },
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "array",
            maxItems: 1_000,
            items: {
              type: "object",
              required: ["token", "type"],
              properties: {
                token: { type: "string" },
                type: { type: "string" },
                url: { type: ["string", "null"], description: "Where it was found; may be empty." },
                source: { type: ["string", "null"], description: "Kind of the location." },
              },
            },
          },
        },
      },
    },
    responses: {
      "200": {
        description: "Of each token whether it is a key, by the SHA-256 of its text.",
        content: {
          "application/json": {
            schema: {
              type: "array",
              items: {
                type: "object",
                required: ["token_hash", "token_type", "label"],
                properties: {
                  token_hash: { type: "string" },
                  token_type: { type: "string" },
                  label: { type: "string", enum: ["true_positive", "false_positive"] },
                },
              },
            },
          },
        },
      },
    },
  },
};

const takeStripeEvent: RawOperation = {
  method: "post",
  path: "/webhooks/stripe",
  scope: "public",
  operation: {
    operationId: "payments.stripeEvent",
    summary: "Take an event of Stripe",
    description:
      "Stripe's protocol for webhooks, at most 512 kB. The signature is over the very bytes of the body. An event is kept once; what it is about is fetched from Stripe afterwards, so that events may come in any order, several times, or not at all.",
    tags: ["Payments"],
    parameters: [
      {
        name: "Stripe-Signature",
        in: "header",
        required: true,
        description: "Time and HMAC-SHA256 of the body, by a secret of the endpoint.",
        schema: { type: "string" },
      },
    ],
    requestBody: {
      required: true,
      content: { "application/json": { schema: { type: "object" } } },
    },
    responses: {
      "200": {
        description: "The event is kept.",
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["received"],
              properties: { received: { type: "boolean", const: true } },
            },
          },
        },
      },
    },
  },
};

const cloudEvent: OpenAPI.SchemaObject = {
  type: "object",
  required: ["specversion", "id", "source", "type"],
  properties: {
    specversion: { type: "string", const: "1.0" },
    id: { type: "string", minLength: 1, maxLength: 256 },
    source: { type: "string", minLength: 1, maxLength: 256 },
    type: { type: "string", minLength: 1, maxLength: 256 },
    subject: { type: "string", description: "The tenant, by its id or external id." },
    time: { type: "string", format: "date-time" },
    data: { description: "JSON, in which meters find their values." },
  },
};

const writeEvents: RawOperation = {
  method: "post",
  path: "/events",
  scope: "events:write",
  operation: {
    operationId: "events.write",
    summary: "Record usage events",
    description: `CloudEvents 1.0 over HTTP: structured, in a batch of at most ${String(EVENTS_MAX)}, or binary with \`ce-\` headers. At most ${String(EVENTS_BYTES_MAX)} bytes. Answered after commit; an event that was recorded before changes nothing. When not one could be taken, the answer is a problem with the same fields.`,
    tags: ["Events"],
    parameters: [
      {
        name: "Prefer",
        in: "header",
        description: "`return=minimal` leaves out of `results` what was accepted.",
        schema: { type: "string" },
      },
    ],
    requestBody: {
      required: true,
      content: {
        "application/cloudevents+json": { schema: cloudEvent },
        "application/cloudevents-batch+json": {
          schema: { type: "array", maxItems: EVENTS_MAX, items: cloudEvent },
        },
        "application/json": { schema: { description: "The data of an event in binary mode." } },
      },
    },
    responses: {
      "200": {
        description: "The outcome of each event.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/EventReceipt" } } },
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
  uploadFile,
  downloadFile,
  followDocuments,
  followNews,
  followCalls,
  askModel,
  downloadExport,
  exportUsage,
  exportAllUsage,
  downloadInvoiceLines,
  downloadInvoice,
  downloadEInvoice,
  writeEvents,
  authorizeCall,
  reportLeaks,
  takeStripeEvent,
  readDocument,
];
