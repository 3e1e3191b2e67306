import {
  type Body,
  type FieldConflict,
  isSameJson,
  mergeDocuments,
} from "@turnpike/domain/documents/merge-documents";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { RequestError } from "../error-message.ts";

/** Which document. */
export type DocumentPlace = {
  tenantId: TenantId;
  collection: string;
  documentId: string;
};

/** What is asked of the service about documents. */
export type DocumentsApi = {
  get(place: DocumentPlace): Promise<{
    body: Record<string, unknown>;
    revision: string;
    updatedAt: string;
  }>;
  put(
    input: DocumentPlace & { body: Record<string, unknown>; expectedRevision: string },
  ): Promise<{ revision: string }>;
  delete(input: { params: DocumentPlace; query: { expectedRevision: string } }): Promise<unknown>;
};

/** What a person did to a document, and what it was before. */
export type DocumentEdit = DocumentPlace & {
  /** What the person saw. */
  base: Body;
  /** Of `base`, "0" for none yet; undefined when it is not known, and is asked for. */
  baseRevision: string | undefined;
  /** Null deletes it. */
  mine: Body;
  /** When it was done, epoch milliseconds by the clock of this machine. */
  at: number;
};

export type SentEdit = {
  body: Body;
  revision: string;
  /** Fields that someone else changed at the same time. */
  conflicts: readonly FieldConflict[];
};

type Present = { body: Body; revision: string; at: number };

/** Others may write between a reading and a writing; more than this is no bad luck any more. */
const ATTEMPTS = 5;

/** True for a request that got no answer: it is sent again when the network is back. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof RequestError && error.status === undefined;
}

/** The revision that the document has now, of an answer that refuses to overwrite it. */
function isOutdated(error: unknown): boolean {
  return (
    error instanceof RequestError &&
    error.code === "CONFLICT" &&
    typeof error.body === "object" &&
    error.body !== null &&
    "revision" in error.body
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof RequestError && error.status === 404;
}

async function readPresent(api: DocumentsApi, place: DocumentPlace): Promise<Present> {
  try {
    const { body, revision, updatedAt } = await api.get(place);
    return { body, revision, at: Date.parse(updatedAt) };
  } catch (error) {
    if (isMissing(error)) {
      return { body: null, revision: "0", at: 0 };
    }
    throw error;
  }
}

/** @returns The new revision; "0" after a deletion. */
async function write(
  api: DocumentsApi,
  place: DocumentPlace,
  { body, expectedRevision }: { body: Body; expectedRevision: string },
): Promise<string> {
  if (body !== null) {
    return (await api.put({ ...place, body, expectedRevision })).revision;
  }
  await api.delete({ params: place, query: { expectedRevision } }).catch((error) => {
    // Someone else was faster, with the same wish.
    if (!isMissing(error)) {
      throw error;
    }
  });
  return "0";
}

/**
 * Sends an edit, merged by field with what others wrote since.
 *
 * @throws {RequestError} When the service refuses it or cannot be reached.
 */
export async function sendEdit(api: DocumentsApi, edit: DocumentEdit): Promise<SentEdit> {
  const { tenantId, collection, documentId, base, mine } = edit;
  const place = { tenantId, collection, documentId };
  let present: Present =
    edit.baseRevision === undefined
      ? await readPresent(api, place)
      : { body: base, revision: edit.baseRevision, at: 0 };
  for (let attempt = 1; ; attempt += 1) {
    const isMineNewer = edit.at >= present.at;
    const { body, conflicts } = mergeDocuments({ base, mine, theirs: present.body, isMineNewer });
    if (isSameJson(body, present.body)) {
      return { body, revision: present.revision, conflicts };
    }
    try {
      const revision = await write(api, place, { body, expectedRevision: present.revision });
      return { body, revision, conflicts };
    } catch (error) {
      if (attempt === ATTEMPTS || !isOutdated(error)) {
        throw error;
      }
      present = await readPresent(api, place);
    }
  }
}
