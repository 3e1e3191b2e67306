import type { OpenAPI } from "@orpc/openapi";

type OperationHeaders = {
  request: OpenAPI.ParameterObject[];
  /** Of its successes. */
  answer: Record<string, OpenAPI.HeaderObject>;
};

/** Headers of single operations: the contract has only bodies, queries and paths. */
const BY_OPERATION: Readonly<Record<string, OperationHeaders>> = {
  "keys.verify": {
    request: [
      {
        name: "Idempotency-Key",
        in: "header",
        required: false,
        description:
          "Makes the request safe to repeat: for 24 hours the same request with the same key gets the first answer and takes nothing again.",
        schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
      },
    ],
    answer: {
      "Idempotency-Replayed": {
        description: "There when this is the answer to an earlier request with the same key.",
        schema: { type: "string", enum: ["true"] },
      },
    },
  },
};

const NONE: OperationHeaders = { request: [], answer: {} };

/** The headers of an operation, beyond those that every request and every answer has. */
export function headersOf(operationId: string): OperationHeaders {
  return BY_OPERATION[operationId] ?? NONE;
}
