import { type FieldConflict, isSameJson } from "@turnpike/domain/documents/merge-documents";
import { type DocumentEdit, type DocumentsApi, isUnreachable, sendEdit } from "./document-edit.ts";
import type { WaitingEdits } from "./waiting-edits.ts";

/** The outcome of an edit: it is stored, or it waits in the browser for the network. */
export type EditOutcome =
  | { state: "sent"; revision: string; conflicts: readonly FieldConflict[] }
  | { state: "waits" };

/** What came of sending everything that waited. */
export type Delivery = {
  sent: number;
  conflicts: readonly FieldConflict[];
  /** Edits that the service refuses for good, with its reason. */
  refused: readonly { edit: DocumentEdit; cause: unknown }[];
  /** Still waiting: the network is gone again. */
  waiting: number;
};

/** Writes documents of one person, and keeps what cannot be sent. */
export interface Documents {
  /** @throws {RequestError} When the service refuses it. */
  write(userId: string, edit: Omit<DocumentEdit, "at">): Promise<EditOutcome>;
  /** Sends what waits, the oldest first. Two calls at once, of any tabs, take turns. */
  deliver(userId: string): Promise<Delivery>;
  count(userId: string): Promise<number>;
  /** Calls back after each change in any tab of this browser, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

export type DocumentsDeps = {
  api: DocumentsApi;
  waiting: WaitingEdits;
  /** Tells the other tabs; a channel hears nothing of itself. */
  channel: Pick<BroadcastChannel, "postMessage" | "addEventListener">;
  /** Runs a task while no other tab runs one of that name. */
  inTurn<Result>(name: string, task: () => Promise<Result>): Promise<Result>;
  now(): number;
};

export function createDocuments(deps: DocumentsDeps): Documents {
  const { api, waiting, channel, now } = deps;
  const listeners = new Set<() => void>();
  const hear = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };
  channel.addEventListener("message", hear);

  function tell(): void {
    channel.postMessage("changed");
    hear();
  }

  const inTurnOf = <Result>(userId: string, task: () => Promise<Result>): Promise<Result> =>
    deps.inTurn(`documents ${userId}`, task);

  /** What waits already and the new edit are one: from what the person saw first to what they wrote last. */
  async function combine(userId: string, edit: DocumentEdit): Promise<DocumentEdit> {
    // A browser whose database is out of order still sends.
    const before = await waiting.find(userId, edit).catch(() => undefined);
    return before === undefined
      ? edit
      : { ...edit, base: before.base, baseRevision: before.baseRevision };
  }

  async function writeNow(userId: string, given: DocumentEdit): Promise<EditOutcome> {
    const edit = await combine(userId, given);
    try {
      const { revision, conflicts } = await sendEdit(api, edit);
      await waiting.forget(userId, edit).catch(() => undefined);
      return { state: "sent", revision, conflicts };
    } catch (error) {
      if (!isUnreachable(error)) {
        throw error;
      }
      try {
        // What was made and taken back while away never happened.
        await (isSameJson(edit.base, edit.mine)
          ? waiting.forget(userId, edit)
          : waiting.keep(userId, edit));
      } catch {
        // Nothing can be kept here, so that the person must know that it is not stored.
        throw error;
      }
      return { state: "waits" };
    }
  }

  async function deliverNow(userId: string): Promise<Delivery> {
    const edits = await waiting.list(userId).catch(() => []);
    const conflicts: FieldConflict[] = [];
    const refused: { edit: DocumentEdit; cause: unknown }[] = [];
    for (const [index, edit] of edits.entries()) {
      try {
        conflicts.push(...(await sendEdit(api, edit)).conflicts);
      } catch (cause) {
        if (isUnreachable(cause)) {
          const sent = index - refused.length;
          return { sent, conflicts, refused, waiting: edits.length - index };
        }
        refused.push({ edit, cause });
      }
      await waiting.forget(userId, edit);
    }
    return { sent: edits.length - refused.length, conflicts, refused, waiting: 0 };
  }

  return {
    async write(userId, edit) {
      const outcome = await inTurnOf(userId, () => writeNow(userId, { ...edit, at: now() }));
      tell();
      return outcome;
    },
    async deliver(userId) {
      const delivery = await inTurnOf(userId, () => deliverNow(userId));
      if (delivery.sent + delivery.refused.length > 0) {
        tell();
      }
      return delivery;
    },
    count: async (userId) => (await waiting.list(userId).catch(() => [])).length,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
