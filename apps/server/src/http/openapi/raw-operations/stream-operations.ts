import type { OpenAPI } from "@orpc/openapi";
import {
  QUESTION_LENGTH_MAX,
  QUESTIONS_BEFORE_MAX,
} from "@turnpike/domain/questions/question-limits";
import type { RawOperation } from "./raw-operation.ts";
import { tenantParameter } from "./tenant-parameter.ts";

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

/** Streams of server-sent events. */
export const STREAM_OPERATIONS: readonly RawOperation[] = [
  followDocuments,
  followNews,
  followCalls,
  askModel,
];
