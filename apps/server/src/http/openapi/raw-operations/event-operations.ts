import type { OpenAPI } from "@orpc/openapi";
import { EVENTS_BYTES_MAX, EVENTS_MAX } from "@turnpike/contract/events";
import type { RawOperation } from "./raw-operation.ts";

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

/** Usage events. */
export const EVENT_OPERATIONS: readonly RawOperation[] = [writeEvents];
