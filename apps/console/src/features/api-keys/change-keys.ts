import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "sonner";
import type { ApiClient } from "#platform/api-client.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Key, keysOf, refreshKeys, replaceKey, type TenantId } from "./api-keys.queries.ts";
import { foresee, type KeyChange } from "./key.view-model.ts";

export type ChangeDeps = { api: ApiClient; client: QueryClient; tenantId: TenantId };

const DONE: Readonly<Record<KeyChange, string>> = {
  disable: "disabled",
  enable: "enabled",
  revoke: "revoked",
};

/** "disabled", "enabled", "revoked". */
export function toDoneWord(change: KeyChange): string {
  return DONE[change];
}

/**
 * Changes a key. The page shows the result at once, and what was before again when the server refuses.
 *
 * @throws {RequestError} Why it was not changed.
 */
export async function changeKey(deps: ChangeDeps, key: Key, change: KeyChange): Promise<void> {
  const { client, tenantId } = deps;
  // An answer from before the change would undo what is shown.
  await client.cancelQueries({ queryKey: keysOf(tenantId) });
  replaceKey(client, tenantId, foresee(key, change, Date.now()));
  try {
    replaceKey(client, tenantId, await send(deps, key, change));
  } catch (cause) {
    replaceKey(client, tenantId, key);
    throw cause;
  }
}

async function send(
  { api, tenantId }: ChangeDeps,
  { keyId }: Key,
  change: KeyChange,
): Promise<Key> {
  return change === "revoke"
    ? await api.keys.revoke({ tenantId, keyId })
    : await api.keys.update({ tenantId, keyId, disabled: change === "disable" });
}

/** Changes one key and says what came of it. */
export function useChangeKey(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["keys", "change"],
    mutationFn: ({ key, change }: { key: Key; change: KeyChange }) =>
      changeKey({ api, client, tenantId }, key, change),
    onSuccess: (_, { key, change }) => toast.success(`${key.name} is ${DONE[change]}.`),
    onError: (error, { key, change }) => {
      toast.error(`${key.name} was not ${DONE[change]}: ${toErrorMessage(error)}`);
    },
    onSettled: () => refreshKeys(client, tenantId),
  });
}
