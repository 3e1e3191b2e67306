import type { DocumentEdit, DocumentPlace } from "./document-edit.ts";
import type { WaitingEdits } from "./waiting-edits.ts";

/** The same in memory, as the database of one browser. */
export function makeWaitingEdits(): WaitingEdits {
  const kept = new Map<string, { userId: string; edit: DocumentEdit }>();
  const keyOf = (userId: string, { tenantId, collection, documentId }: DocumentPlace) =>
    [userId, tenantId, collection, documentId].join("/");
  return {
    find: async (userId, place) => kept.get(keyOf(userId, place))?.edit,
    keep: async (userId, edit) => void kept.set(keyOf(userId, edit), { userId, edit }),
    forget: async (userId, place) => void kept.delete(keyOf(userId, place)),
    list: async (userId) =>
      [...kept.values()].filter((one) => one.userId === userId).map(({ edit }) => edit),
  };
}
