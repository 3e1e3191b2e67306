import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { toast } from "sonner";
import { usePlatform } from "#platform/platform.tsx";
import { type Key, keysOf, refreshKeys, replaceKey, type TenantId } from "../api-keys.queries.ts";
import { returnFocus, UNDO_MS } from "../change-keys.ts";
import { toFailureReason } from "../failure-reason.ts";
import {
  BULK_DONE,
  type BulkChange,
  countKeys,
  foreseeBulk,
  toUndo,
} from "./bulk-change.view-model.ts";

export type BulkReport = {
  change: BulkChange;
  total: number;
  failed: readonly { key: Key; reason: string }[];
};

/** Changes many keys by one request, offers to take it back, and keeps what failed until it is looked at. */
export function useBulkChange(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [running, setRunning] = useState<BulkChange>();
  const [report, setReport] = useState<BulkReport>();
  const isHeld = useRef(false);

  /** Sends one request and shows what it will do until it is answered. @returns What failed. */
  async function send(keys: readonly Key[], change: BulkChange): Promise<BulkReport["failed"]> {
    // An answer from before the change would undo what is shown.
    await client.cancelQueries({ queryKey: keysOf(tenantId) });
    for (const key of keys) {
      replaceKey(client, tenantId, foreseeBulk(key, change, Date.now()));
    }
    try {
      const answer = await api.keys.change({
        tenantId,
        keyIds: keys.map((key) => key.keyId),
        change,
      });
      return keys.flatMap((key, index) => {
        const item = answer.items[index];
        replaceKey(client, tenantId, item?.key ?? key);
        return item?.error == null ? [] : [{ key, reason: item.error.message }];
      });
    } catch (cause) {
      for (const key of keys) {
        replaceKey(client, tenantId, key);
      }
      return keys.map((key) => ({ key, reason: toFailureReason(cause) }));
    }
  }

  async function undo(before: readonly Key[], change: BulkChange): Promise<void> {
    const byId = new Map(before.map((key) => [key.keyId, key]));
    const failed: BulkReport["failed"][number][] = [];
    for (const step of toUndo(before, change, Date.now())) {
      const keys = step.keyIds.flatMap((keyId) => byId.get(keyId) ?? []);
      failed.push(...(await send(keys, step.change)));
    }
    await refreshKeys(client, tenantId);
    const undone = before.length - failed.length;
    if (undone > 0) {
      toast.success(`${countKeys(undone)} ${undone === 1 ? "is" : "are"} as before.`);
    }
    const [first] = failed;
    if (first !== undefined) {
      toast.error(`${countKeys(failed.length)} could not be changed back: ${first.reason}`);
    }
  }

  async function start(keys: readonly Key[], change: BulkChange): Promise<BulkReport["failed"]> {
    if (isHeld.current) {
      return [];
    }
    isHeld.current = true;
    setRunning(change);
    const failed = await send(keys, change);
    setRunning(undefined);
    isHeld.current = false;
    const failedIds = new Set(failed.map(({ key }) => key.keyId));
    const changed = keys.filter((key) => !failedIds.has(key.keyId));
    // What failed before stays in sight until this is answered: its button to try again has the focus.
    setReport(failed.length === 0 ? undefined : { change, total: keys.length, failed });
    if (changed.length > 0) {
      const count = changed.length;
      const canUndo = toUndo(changed, change, Date.now()).length > 0;
      toast.success(
        `${countKeys(count)} ${count === 1 ? "is" : "are"} ${BULK_DONE[change.action]}.`,
        {
          ...(canUndo && {
            duration: UNDO_MS,
            action: {
              label: "Undo",
              onClick: (event) => {
                returnFocus(event);
                void undo(changed, change);
              },
            },
          }),
        },
      );
    }
    await refreshKeys(client, tenantId);
    return failed;
  }

  return { running, report, start, forget: () => setReport(undefined) };
}
