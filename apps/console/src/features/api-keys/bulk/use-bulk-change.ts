import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "sonner";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Key, refreshKeys, type TenantId } from "../api-keys.queries.ts";
import { changeKey, toDoneWord } from "../change-keys.ts";
import type { KeyChange } from "../key.view-model.ts";
import { runBounded } from "./run-bounded.ts";

/** Changes on their way at the same time: a page of keys is done in a second or two, and nobody is crowded out. */
const AT_ONCE = 4;

export type BulkRun = { change: KeyChange; total: number; done: number };
export type BulkReport = {
  change: KeyChange;
  total: number;
  failed: readonly { key: Key; reason: string }[];
};

/** Changes many keys, and keeps what failed until it is looked at. */
export function useBulkChange(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [run, setRun] = useState<BulkRun>();
  const [report, setReport] = useState<BulkReport>();

  async function start(keys: readonly Key[], change: KeyChange): Promise<BulkReport> {
    const total = keys.length;
    setReport(undefined);
    setRun({ change, total, done: 0 });
    const failed = await runBounded({
      items: keys,
      limit: AT_ONCE,
      run: (key) => changeKey({ api, client, tenantId }, key, change),
      onDone: (done) => setRun({ change, total, done }),
    });
    const result: BulkReport = {
      change,
      total,
      failed: failed.map(({ item, cause }) => ({ key: item, reason: toErrorMessage(cause) })),
    };
    setRun(undefined);
    if (failed.length === 0) {
      toast.success(`${countKeys(total)} ${total === 1 ? "is" : "are"} ${toDoneWord(change)}.`);
    } else {
      setReport(result);
    }
    await refreshKeys(client, tenantId);
    return result;
  }

  return { run, report, start, forget: () => setReport(undefined) };
}

/** "1 key", "12 keys". */
export function countKeys(count: number): string {
  return count === 1 ? "1 key" : `${String(count)} keys`;
}
