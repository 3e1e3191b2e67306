import type { RawOperation } from "./raw-operation.ts";

const csv = {
  "200": {
    description: "One line for each row, under a line of names, as an attachment.",
    content: { "text/csv": { schema: { type: "string" as const } } },
  },
};

const ALL = "application/octet-stream";

/** Reports and mails of the operator as files. */
export const REPORT_OPERATIONS: readonly RawOperation[] = [
  {
    method: "get",
    path: "/outbox/{mailId}/attachments/{position}",
    scope: "outbox:read",
    operation: {
      operationId: "outbox.downloadAttachment",
      summary: "Download a file of a mail",
      description:
        "404 once a mail server has accepted the mail: then text and files of it are deleted here.",
      tags: ["Outbox"],
      parameters: [
        {
          name: "mailId",
          in: "path",
          required: true,
          schema: { type: "string", pattern: "^mail_[0-9a-f]{32}$" },
        },
        {
          name: "position",
          in: "path",
          required: true,
          description: "From 1.",
          schema: { type: "integer", minimum: 1 },
        },
      ],
      responses: {
        "200": {
          description: "The file, in its own type, as an attachment.",
          content: { [ALL]: { schema: { type: "string", contentMediaType: ALL } } },
        },
      },
    },
  },
  {
    method: "get",
    path: "/revenue/csv",
    scope: "invoices:read",
    operation: {
      operationId: "revenue.downloadCustomers",
      summary: "Download the recurring revenue of a month by customer, as CSV",
      description:
        "The customers that bring recurring revenue at the end of the month, or with `rows=moved` those whose revenue has changed in it. Amounts are in major units. Texts that a spreadsheet would take for formulas begin with an apostrophe.",
      tags: ["Revenue"],
      parameters: [
        {
          name: "month",
          in: "query",
          required: true,
          schema: { type: "string", example: "2026-11" },
        },
        {
          name: "currency",
          in: "query",
          required: true,
          schema: { type: "string", example: "EUR" },
        },
        {
          name: "rows",
          in: "query",
          schema: { type: "string", enum: ["closing", "moved"], default: "closing" },
        },
      ],
      responses: csv,
    },
  },
  {
    method: "get",
    path: "/tax-report/csv",
    scope: "invoices:read",
    operation: {
      operationId: "revenue.downloadTaxReport",
      summary: "Download the documents of a period with their taxes, as CSV",
      description:
        "A line for each tax of each document, oldest first; credit notes and void invoices are below zero. The sums of `net` and `tax` are those of the report.",
      tags: ["Revenue"],
      parameters: [
        {
          name: "period",
          in: "query",
          required: true,
          description: "A year, quarter or month.",
          schema: { type: "string", example: "2026-Q4" },
        },
      ],
      responses: csv,
    },
  },
];
