import { createTaskThread, type TaskThread } from "#platform/task-thread.ts";
import type { BillingSettings } from "../billing-settings.ts";
import type { DrawTask } from "./draw-document.ts";
import type { StoredDocument } from "./stored-document.ts";
import { toPrintedDocument } from "./to-printed-document.ts";
import { findEInvoice } from "./write-e-invoice.ts";

const WAITING_MAX = 100;
const TIMEOUT_MS = 60_000;
const IDLE_MS = 30_000;

type Look = Pick<BillingSettings, "documents" | "bank">;

/** What a document is drawn from: what was frozen, and the look that is configured. */
export function toDrawTask(
  stored: StoredDocument,
  { documents: { logo, font }, bank }: Look,
): DrawTask {
  // A document without such a form is a PDF that claims none.
  const xml = findEInvoice(stored, "cii");
  return { document: toPrintedDocument(stored, bank), xml, logo, font };
}

/** Draws documents in a thread of its own, so that no call waits for them. */
export type DocumentPrinter = {
  /** @throws {AppError} `OVERLOADED` when too many wait already. */
  print(stored: StoredDocument): Promise<Uint8Array>;
};

export function createDocumentPrinter(settings: Look): DocumentPrinter {
  const thread: TaskThread<DrawTask, Uint8Array> = createTaskThread({
    entry: new URL("./draw-document-thread.ts", import.meta.url),
    waitingMax: WAITING_MAX,
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  });
  return { print: (stored) => thread.run(toDrawTask(stored, settings)) };
}
