import { t } from "@lingui/core/macro";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { type Key, keysOf, refreshKeys, replaceKey, type TenantId } from "../api-keys.queries.ts";
import { returnFocus, UNDO_MS } from "../change-keys.ts";
import { toFailureReason } from "../failure-reason.ts";
import {
  type BulkChange,
  countKeys,
  foreseeBulk,
  toDoneText,
  toUndo,
  toUndoneText,
} from "./bulk-change.view-model.ts";

export type BulkReport = {
  change: BulkChange;
  total: number;
  failed: readonly { key: Key; reason: string }[];
};

/** The result of one request, with the keys as they were before it. */
type Sent = {
  /** Without the keys that needed no change: someone else had made it. */
  changed: readonly Key[];
  failed: BulkReport["failed"];
};

/** Changes many keys by one request, offers an undo, and keeps the failures on screen until they are dismissed. */
export function useBulkChange(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [running, setRunning] = useState<BulkChange>();
  const [report, setReport] = useState<BulkReport>();
  const isHeld = useRef(false);

  /** Sends one request, and shows the expected result until the response arrives. */
  async function send(keys: readonly Key[], change: BulkChange): Promise<Sent> {
    // A response from before the change would overwrite the result on screen.
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
      const changed: Key[] = [];
      const failed: BulkReport["failed"][number][] = [];
      for (const [index, key] of keys.entries()) {
        const item = answer.items[index];
        replaceKey(client, tenantId, item?.key ?? key);
        if (item?.error != null) {
          failed.push({ key, reason: item.error.message });
        } else if (item?.status === "changed") {
          changed.push(key);
        }
      }
      return { changed, failed };
    } catch (cause) {
      for (const key of keys) {
        replaceKey(client, tenantId, key);
      }
      const reason = toFailureReason(cause);
      return { changed: [], failed: keys.map((key) => ({ key, reason })) };
    }
  }

  async function undo(before: readonly Key[], change: BulkChange): Promise<void> {
    const byId = new Map(before.map((key) => [key.keyId, key]));
    const failed: BulkReport["failed"][number][] = [];
    let asked = 0;
    for (const step of toUndo(before, change, Date.now())) {
      const keys = step.keyIds.flatMap((keyId) => byId.get(keyId) ?? []);
      asked += keys.length;
      failed.push(...(await send(keys, step.change)).failed);
    }
    await refreshKeys(client, tenantId);
    const undone = asked - failed.length;
    if (undone > 0) {
      toast.success(toUndoneText({ undone, kept: before.length - asked }));
    } else if (asked < before.length) {
      toast.error(toUndoneText({ undone, kept: before.length - asked }));
    }
    const [first] = failed;
    if (first !== undefined) {
      toast.error(t`${countKeys(failed.length)} could not be changed back: ${first.reason}`);
    }
  }

  async function start(keys: readonly Key[], change: BulkChange): Promise<BulkReport["failed"]> {
    if (isHeld.current) {
      return [];
    }
    isHeld.current = true;
    setRunning(change);
    const { changed, failed } = await send(keys, change);
    setRunning(undefined);
    isHeld.current = false;
    // The previous failures stay visible until the response arrives: their Try again button has the focus.
    setReport(failed.length === 0 ? undefined : { change, total: keys.length, failed });
    if (failed.length < keys.length) {
      const canUndo = changed.length > 0 && toUndo(changed, change, Date.now()).length > 0;
      const unchanged = keys.length - changed.length - failed.length;
      toast.success(toDoneText(change, { changed: changed.length, unchanged }), {
        ...(canUndo && {
          duration: UNDO_MS,
          action: {
            label: t`Undo`,
            onClick: (event) => {
              returnFocus(event);
              void undo(changed, change);
            },
          },
        }),
      });
    }
    await refreshKeys(client, tenantId);
    return failed;
  }

  return { running, report, start, forget: () => setReport(undefined) };
}
