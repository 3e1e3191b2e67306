import { z } from "zod";
import { operation } from "./operation.ts";
import { instant } from "./shapes.ts";

export const referenceVisit = z.strictObject({
  url: z.string().describe("Opens the reference in one browser, once it is followed in time."),
  expiresAt: instant,
});

/** Methods of the calls that samples are written for: those whose answers say something. */
export const CALL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const callMethod = z.enum(CALL_METHODS);
const callPath = z.string().describe("As callers send it, with the names of parameters in braces.");

export const documentedCall = z.strictObject({
  method: callMethod,
  path: callPath,
  summary: z.string(),
});

export const sampleCall = z.strictObject({
  method: callMethod,
  target: z
    .string()
    .describe("Path and query, with the document's examples, or values that fit its schemas."),
  headers: z
    .array(z.strictObject({ name: z.string(), value: z.string() }))
    .describe("What the call needs beside `Authorization`."),
  body: z.string().nullable(),
});

/** The reference of the operator's own API, for its customers. */
export const referenceContract = {
  visit: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/reference-visits",
      successStatus: 201,
      summary: "Get an address that opens the reference of the operator's API",
      description:
        "For a reference that only signed-in people may read. The address works for a minute, and the browser that follows it reads for twelve hours.",
      tags: ["Reference"],
    })
    .input(z.strictObject({}))
    .output(referenceVisit),

  listCalls: operation({ scope: "person" })
    .route({
      method: "GET",
      path: "/reference-calls",
      summary: "List the calls that the operator's API describes",
      description:
        "In the order of the OpenAPI documents, without calls that upload files. Empty where no upstream has a document, or no one may read the reference.",
      tags: ["Reference"],
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ items: z.array(documentedCall) })),

  getCall: operation({ scope: "person" })
    .route({
      method: "GET",
      path: "/reference-calls/sample",
      summary: "Get a sample of a call to the operator's API",
      tags: ["Reference"],
    })
    .input(z.strictObject({ method: callMethod, path: z.string().min(1).max(2_000) }))
    .output(sampleCall),
};
