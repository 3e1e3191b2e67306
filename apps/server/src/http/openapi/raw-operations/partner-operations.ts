import type { RawOperation } from "./raw-operation.ts";

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

/** What GitHub and Stripe send, in their own protocols. */
export const PARTNER_OPERATIONS: readonly RawOperation[] = [reportLeaks, takeStripeEvent];
