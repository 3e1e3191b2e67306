import { DOCUMENT_BYTES_MAX, findBodyFault } from "@turnpike/domain/documents/document-body";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, tenantId } from "./shapes.ts";

/**
 * The name that documents of one purpose share, such as `preferences` or `analytics-views`. A name that begins with `my-` ends
 * with the digits of the id of the only actor who may read and write them.
 */
export const collection = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, "Lower-case letters, digits and dashes, 1 to 64.");

/** Chosen by the client: the id of a user, a name. */
export const documentId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_~-]{0,127}$/, "Letters, digits, _ ~ -, 1 to 128.")
  // The stream of changes has this address.
  .refine((value) => value !== "changes", "Reserved.");

/**
 * Grows with every change in the installation, in commit order. Written as decimal digits, because it may outgrow a JavaScript
 * number holds.
 */
export const revision = z.string().regex(/^\d{1,19}$/, "A whole number in decimal digits.");

/** A JSON object that the database can hold. */
export const documentBody = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const fault = findBodyFault(value);
  if (fault !== undefined) {
    context.addIssue({ code: "custom", message: fault });
  }
});

/** Guards a write against overwriting unseen changes: the revision it is based on, or `0` for "none yet". */
const expectedRevision = revision.optional();

export const document = z.strictObject({
  tenantId,
  collection: z.string(),
  documentId: z.string(),
  revision,
  body: z.record(z.string(), z.unknown()),
  updatedAt: instant,
  updatedBy: z.string(),
});
export type Document = z.infer<typeof document>;

/** An event of the stream of changes. A deleted document has no body. */
export const documentChange = z.strictObject({
  documentId: z.string(),
  revision,
  body: z.record(z.string(), z.unknown()).nullable(),
  updatedAt: instant,
  updatedBy: z.string(),
});
export type DocumentChange = z.infer<typeof documentChange>;

/** An event of the stream of a tenant's news: what has changed, without content. */
export const tenantNews = z.strictObject({
  /** Anything may have changed: at the beginning of a stream, and when changes were missed. */
  isAnything: z.boolean(),
  /** Collections with a new, changed or deleted document. */
  collections: z.array(z.string()),
  /** A notification came or was read. */
  notifications: z.boolean(),
});
export type TenantNews = z.infer<typeof tenantNews>;

const tags = ["Documents"];
const path = "/tenants/{tenantId}/documents/{collection}";
const inCollection = { tenantId, collection };

/**
 * There are also plain routes of server-sent events: `GET …/documents/{collection}/changes` streams the documents of one
 * collection, `GET …/news` says of all of them, and of notifications, that something changed.
 */
export const documentsContract = {
  list: operation({ scope: "documents:read" })
    .route({
      method: "GET",
      path,
      summary: "List the documents of a collection",
      description: "A page of large documents may have fewer than `limit`.",
      tags,
    })
    .input(z.strictObject({ ...inCollection, ...pageQuery }))
    .output(pageOf(document)),
  get: operation({ scope: "documents:read" })
    .route({ method: "GET", path: `${path}/{documentId}`, summary: "Get a document", tags })
    .input(z.strictObject({ ...inCollection, documentId }))
    .output(document),
  put: operation({ scope: "documents:write", largeBody: true })
    .route({
      method: "PUT",
      path: `${path}/{documentId}`,
      summary: "Create or replace a document",
      description: `The body has at most ${String(DOCUMENT_BYTES_MAX)} bytes as JSON.`,
      tags,
    })
    .input(z.strictObject({ ...inCollection, documentId, body: documentBody, expectedRevision }))
    .output(document),
  delete: operation({ scope: "documents:write" })
    .route({
      method: "DELETE",
      path: `${path}/{documentId}`,
      successStatus: 204,
      summary: "Delete a document",
      // With compact input, the guard would be read from a body, and one in the query would be ignored silently.
      inputStructure: "detailed",
      tags,
    })
    .input(
      z.object({
        params: z.strictObject({ ...inCollection, documentId }),
        query: z.strictObject({ expectedRevision }),
      }),
    ),
};
