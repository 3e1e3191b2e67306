import type { ServiceKey } from "@turnpike/contract/keys";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { AppServices } from "#platform/app-services.ts";
import { parseIdCursor } from "#platform/parse-cursor.ts";
import { listServiceKeyRows } from "./service-keys.store.ts";
import { toServiceKeyReply } from "./to-key-reply.ts";

/** Lists service keys, newest first, revoked ones included. */
export async function listServiceKeys(
  deps: AppServices,
  context: CallContext,
  input: { cursor?: string | undefined; limit: number },
): Promise<{ items: ServiceKey[]; nextCursor: string | null }> {
  assertMay(context.actor, "service_keys:read");
  const rows = await deps.transact.asOperator((tx) =>
    listServiceKeyRows(tx, {
      beforeId: parseIdCursor("serviceKey", input.cursor),
      limit: input.limit + 1,
    }),
  );
  const items = rows.slice(0, input.limit).map(toServiceKeyReply);
  return {
    items,
    nextCursor: rows.length > input.limit ? (items.at(-1)?.serviceKeyId ?? null) : null,
  };
}
