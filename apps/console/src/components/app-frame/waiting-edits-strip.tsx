import { useQueryClient } from "@tanstack/react-query";
import CloudOff from "lucide-react/icons/cloud-off";
import { useEffect, useState } from "react";
import type { Documents } from "#platform/documents/documents.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { useIsOnline } from "../use-is-online.ts";
import { listDeliveryNotices, toStripText } from "./waiting-edits.view-model.ts";

/** Between two tries to send what waits, in milliseconds. */
const TRY_EVERY_MS = 15_000;

/** Loaded while there is a network: it is too late when it is needed. */
function useDocuments(): Documents | undefined {
  const platform = usePlatform();
  const [documents, setDocuments] = useState<Documents>();
  useEffect(() => {
    platform.documents().then(setDocuments, () => undefined);
  }, [platform]);
  return documents;
}

/** Says that there is no network and how many changes wait for it, and sends them when it is back. */
export function WaitingEditsStrip() {
  const documents = useDocuments();
  const { user } = useVerifiedUser();
  const client = useQueryClient();
  const isOnline = useIsOnline();
  const [waiting, setWaiting] = useState(0);
  const { userId } = user;

  // The outside system is the database of the browser, which every tab writes.
  useEffect(() => {
    let isGone = false;
    const count = async () => {
      const found = (await documents?.count(userId)) ?? 0;
      if (!isGone) {
        setWaiting(found);
      }
    };
    void count();
    const unsubscribe = documents?.subscribe(() => {
      void count();
      void client.invalidateQueries({ queryKey: ["saved-views"] });
      void client.invalidateQueries({ queryKey: ["documents"] });
    });
    return () => {
      isGone = true;
      unsubscribe?.();
    };
  }, [documents, userId, client]);

  const hasWaiting = waiting > 0;
  useEffect(() => {
    if (documents === undefined || !isOnline || !hasWaiting) {
      return;
    }
    const deliver = async () => {
      for (const notice of listDeliveryNotices(await documents.deliver(userId))) {
        toast.warning(notice);
      }
    };
    void deliver();
    const timer = setInterval(() => void deliver(), TRY_EVERY_MS);
    return () => clearInterval(timer);
  }, [documents, userId, isOnline, hasWaiting]);

  const text = toStripText(isOnline, waiting);
  return text === undefined ? null : (
    <p
      role="status"
      className="sticky top-14 z-20 flex items-center gap-2 border-line border-b bg-warning-soft px-4 py-1.5 text-sm md:px-6"
    >
      <CloudOff className="size-4 shrink-0 text-warning" aria-hidden="true" />
      {text}
    </p>
  );
}
