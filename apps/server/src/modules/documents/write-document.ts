import type { Document } from "@turnpike/contract/documents";
import type { Tx } from "@turnpike/db/client";
import type { CallContext } from "@turnpike/domain/access/actor";
import { ownSuffix, PRIVATE_PREFIX } from "@turnpike/domain/documents/own-collection";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";
import { keepTenant } from "#platform/assert-tenant-exists.store.ts";
import { lockCountOf } from "#platform/count-lock.store.ts";
import { assertMayUse } from "./assert-may-use.ts";
import {
  countDocuments,
  type DocumentRow,
  findDocumentRow,
  sumDocumentBytes,
  upsertDocument,
} from "./documents.store.ts";
import { isLive } from "./read-documents.ts";
import { toDocumentReply } from "./to-document-reply.ts";

export type WriteDeps = Pick<AppServices, "transact" | "clock"> & {
  /** Bytes of all documents of a tenant. Left out: as many as its documents may have. */
  tenantBytesMax?: number;
};

type DocumentKey = { tenantId: TenantId; collection: string; documentId: string };

/** Guards a write against overwriting unseen changes: the revision it is based on, `0` for "none yet". */
type Guard = { expectedRevision?: string | undefined };

/** Documents are settings of people and programs, not a database. With 64 KB each this is about 130 MB for a tenant. */
const LIVE_PER_TENANT_MAX = 2_000;
/** An actor's own documents have a separate bound and do not count as shared. */
const LIVE_PER_ACTOR_MAX = 200;
/** The bound including deleted documents, which are kept for a month, as a multiple. */
const WITH_DELETED_FACTOR = 10;

function conflict(message: string, revision?: bigint): AppError {
  return new AppError({
    code: "CONFLICT",
    publicMessage: message,
    ...(revision === undefined ? {} : { extensions: { revision: String(revision) } }),
  });
}

/**
 * Lets the writers of a tenant take turns, then reads the row: so the read sees the newest state, even of a row that another
 * writer was just creating. All that can wait is done here, before the lock of the change feed is taken.
 */
async function lockDocument(
  tx: Tx,
  key: DocumentKey,
  guard: Guard,
): Promise<DocumentRow | undefined> {
  const { tenantId } = key;
  await keepTenant(tx, tenantId);
  await lockCountOf(tx, "documents", tenantId);
  const present = await findDocumentRow(tx, tenantId, key);
  const presentRevision = isLive(present) ? present.revision : 0n;
  if (guard.expectedRevision !== undefined && BigInt(guard.expectedRevision) !== presentRevision) {
    throw conflict("The document has changed since it was read.", presentRevision);
  }
  return present;
}

async function assertRoom(
  tx: Tx,
  key: DocumentKey & { actorId: string },
  present: DocumentRow | undefined,
): Promise<void> {
  if (isLive(present)) {
    return;
  }
  const isOwn = key.collection.startsWith(PRIVATE_PREFIX);
  const max = isOwn ? LIVE_PER_ACTOR_MAX : LIVE_PER_TENANT_MAX;
  const scope = isOwn
    ? { kind: "own" as const, suffix: ownSuffix(key.actorId) }
    : { kind: "shared" as const };
  const { live, all } = await countDocuments(tx, key.tenantId, scope);
  if (live >= max || (present === undefined && all >= max * WITH_DELETED_FACTOR)) {
    throw conflict(
      isOwn
        ? `A member may keep at most ${String(max)} documents of their own.`
        : `A tenant may keep at most ${String(max)} shared documents.`,
    );
  }
}

async function assertBytesLeft(
  tx: Tx,
  tenantId: TenantId,
  bytesMax: number | undefined,
): Promise<void> {
  if (bytesMax !== undefined && (await sumDocumentBytes(tx, tenantId)) >= bytesMax) {
    throw new AppError({
      code: "STORAGE_QUOTA_REACHED",
      publicMessage: `The documents of a tenant may have at most ${String(bytesMax)} bytes together. Delete some first.`,
    });
  }
}

/**
 * Creates or replaces a document and publishes the change to every process.
 *
 * @param input.body - Validated by the contract.
 * @throws {AppError} `INSUFFICIENT_SCOPE`; `RESOURCE_NOT_FOUND` (no such tenant); `CONFLICT` if the revision is not the expected
 *   one (with the current `revision`, `0` for none), or the tenant already has 2,000 shared documents, or the actor 200 of
 *   their own; `STORAGE_QUOTA_REACHED`.
 */
export async function putDocument(
  deps: WriteDeps,
  context: CallContext,
  input: DocumentKey & Guard & { body: Record<string, unknown> },
): Promise<Document> {
  const { tenantId, collection, documentId, body } = input;
  assertMayUse(context, "documents:write", input);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    const present = await lockDocument(tx, input, input);
    await assertRoom(tx, { ...input, actorId: context.actor.id }, present);
    await assertBytesLeft(tx, tenantId, deps.tenantBytesMax);
    const row = {
      collection,
      document_id: documentId,
      body,
      updated_at: deps.clock.now(),
      updated_by: context.actor.id,
    };
    const revision = await upsertDocument(tx, tenantId, row);
    return toDocumentReply(tenantId, collection, { ...row, revision });
  });
}

/**
 * Deletes a document. A tombstone with a revision of its own is kept for a month, so that streams can publish the deletion.
 *
 * @throws {AppError} As `putDocument`; `RESOURCE_NOT_FOUND` also if the document does not exist.
 */
export async function deleteDocument(
  deps: WriteDeps,
  context: CallContext,
  input: DocumentKey & Guard,
): Promise<void> {
  const { tenantId, collection, documentId } = input;
  assertMayUse(context, "documents:write", input);
  await deps.transact.asTenant(tenantId, async (tx) => {
    const present = await lockDocument(tx, input, input);
    if (!isLive(present)) {
      throw resourceNotFound("document");
    }
    await upsertDocument(tx, tenantId, {
      collection,
      document_id: documentId,
      body: null,
      updated_at: deps.clock.now(),
      updated_by: context.actor.id,
    });
  });
}
