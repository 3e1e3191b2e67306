import { t } from "@lingui/core/macro";
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { type Key, keysOf, refreshKeys, replaceKey, type TenantId } from "./api-keys.queries.ts";
import { toFailureReason } from "./failure-reason.ts";
import { foresee, type KeyChange } from "./key.view-model.ts";

type ChangeDeps = { api: ApiClient; client: QueryClient; tenantId: TenantId };

/** How long a change can be undone from its toast, in milliseconds: long enough to find the rows that changed. */
export const UNDO_MS = 10_000;

const DONE: Readonly<Record<KeyChange, string>> = {
  disable: "disabled",
  enable: "enabled",
  revoke: "revoked",
};

/**
 * Changes a key. The page shows the result at once, and restores the previous state if the server refuses.
 *
 * @returns The key after the change.
 * @throws {RequestError} Why it was not changed.
 */
async function changeKey(deps: ChangeDeps, key: Key, change: KeyChange): Promise<Key> {
  const { client, tenantId } = deps;
  // A response from before the change would overwrite the result on screen.
  await client.cancelQueries({ queryKey: keysOf(tenantId) });
  replaceKey(client, tenantId, foresee(key, change, Date.now()));
  try {
    const changed = await send(deps, key, change);
    replaceKey(client, tenantId, changed);
    return changed;
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

/** Makes a closing toast give the focus back: it does so only if it loses the focus before it closes. */
export function returnFocus({ currentTarget }: { currentTarget: HTMLElement }): void {
  currentTarget.blur();
}

/** Changes one key and reports the result. A disabled key can be enabled again from the toast. */
export function useChangeKey(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const changeOne = useMutation({
    mutationKey: ["keys", "change"],
    mutationFn: ({ key, change }: { key: Key; change: KeyChange }) =>
      changeKey({ api, client, tenantId }, key, change),
    onSuccess: (changed, { change }) => {
      toast.success(t`${changed.name} is ${DONE[change]}.`, {
        ...(change === "disable" && {
          duration: UNDO_MS,
          action: {
            label: t`Undo`,
            onClick: (event) => {
              returnFocus(event);
              changeOne.mutate({ key: changed, change: "enable" });
            },
          },
        }),
      });
    },
    onError: (error, { key, change }) => {
      toast.error(t`${key.name} was not ${DONE[change]}: ${toFailureReason(error)}`);
    },
    onSettled: () => refreshKeys(client, tenantId),
  });
  return changeOne;
}
