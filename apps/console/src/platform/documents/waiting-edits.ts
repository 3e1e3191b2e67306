import { createStore, del, entries, get, set } from "idb-keyval";
import type { DocumentEdit, DocumentPlace } from "./document-edit.ts";

/** Name of the database, and of its one store. */
const NAME = "documents";

/** Edits that could not be sent, kept in the browser for the person who made them. */
export interface WaitingEdits {
  find(userId: string, place: DocumentPlace): Promise<DocumentEdit | undefined>;
  keep(userId: string, edit: DocumentEdit): Promise<void>;
  forget(userId: string, place: DocumentPlace): Promise<void>;
  /** Of one person, the oldest first: no one else's are ever read. */
  list(userId: string): Promise<DocumentEdit[]>;
}

/** A text that no other place has: ids and collections hold no slash. */
function keyOf(userId: string, { tenantId, collection, documentId }: DocumentPlace): string {
  return [userId, tenantId, collection, documentId].join("/");
}

/** Makes the store in the database of the browser, which is opened at the first use. */
export function createWaitingEdits(): WaitingEdits {
  const store = createStore(NAME, NAME);
  return {
    find: (userId, place) => get<DocumentEdit>(keyOf(userId, place), store),
    keep: (userId, edit) => set(keyOf(userId, edit), edit, store),
    forget: (userId, place) => del(keyOf(userId, place), store),
    list: async (userId) =>
      (await entries<string, DocumentEdit>(store))
        .filter(([key]) => key.startsWith(`${userId}/`))
        .map(([, edit]) => edit)
        .toSorted((a, b) => a.at - b.at),
  };
}
