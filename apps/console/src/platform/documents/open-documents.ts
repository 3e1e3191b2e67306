import type { DocumentsApi } from "./document-edit.ts";
import { createDocuments, type Documents } from "./documents.ts";
import { createWaitingEdits } from "./waiting-edits.ts";

const CHANNEL = "documents";

/** Documents in this browser: its database, its tabs and its clock. */
export function openDocuments(api: DocumentsApi, page: Window): Documents {
  // Browsers have locks on safe addresses only. Without them two tabs may send an edit twice, which merges to the same.
  const locks = page.isSecureContext ? page.navigator.locks : undefined;
  return createDocuments({
    api,
    waiting: createWaitingEdits(),
    channel: new BroadcastChannel(CHANNEL),
    inTurn: async (name, task) =>
      locks === undefined ? await task() : await locks.request(name, task),
    now: () => Date.now(),
  });
}
