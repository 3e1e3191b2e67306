import type { AppServices } from "#platform/app-services.ts";
import { countUnmailed } from "./documents-to-mail.store.ts";

/** What health says of documents that could not be mailed; undefined while all were. */
export async function findMailTrouble(
  deps: Pick<AppServices, "transact">,
): Promise<string | undefined> {
  const found = await deps.transact.asOperator(countUnmailed);
  return found === undefined
    ? undefined
    : `${found.count === 1 ? "1 document waits" : `${String(found.count)} documents wait`} to be mailed, the first since ${found.since.toISOString()}: ${found.error}`;
}
