import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { Notification } from "@turnpike/contract/notifications";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import { ErrorState } from "@turnpike/ui/error-state";
import { joinClasses } from "@turnpike/ui/join-classes";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import Bell from "lucide-react/icons/bell";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { toast } from "#platform/toast.ts";
import { isOwnPath } from "#platform/wanted-path.ts";
import {
  NOTIFICATIONS_KEY,
  newestQuery,
  type Reader,
  unreadQuery,
} from "./notifications.queries.ts";

export type NotificationListProps = {
  reader: Reader;
  /** Called when the person goes where a notification leads. */
  onFollow: () => void;
};

/** The newest notifications. Following one reads it. */
export function NotificationList({ reader, onFollow }: NotificationListProps) {
  const { api } = usePlatform();
  const newest = useQuery(newestQuery(api, reader));
  const unread = useQuery(unreadQuery(api, reader));
  const markRead = useMarkRead(reader, (notificationId: string) =>
    api.notifications.markRead({ tenantId: reader.tenantId, notificationId }),
  );
  const markAllRead = useMarkRead(reader, async (upTo: string) => {
    while ((await api.notifications.markAllRead({ ...reader, upTo })).read > 0) {
      // Each call marks a bounded number; the loop reaches those older than the list.
    }
  });
  const newestId = newest.data?.items[0]?.notificationId;
  const hasUnread = (unread.data?.items.length ?? 0) > 0;
  return (
    <>
      <div className="flex items-center justify-between gap-3 border-line border-b py-2 pr-2 pl-4">
        <p className="font-semibold" aria-hidden="true">
          <Trans>Notifications</Trans>
        </p>
        <Button
          look="quiet"
          size="small"
          disabled={newestId === undefined || !hasUnread}
          progress={markAllRead.isPending ? t`Marking…` : undefined}
          onClick={() => newestId !== undefined && markAllRead.mutate(newestId)}
        >
          <Trans>Mark all as read</Trans>
        </Button>
      </div>
      {newest.isPending && <LoadingList />}
      {newest.isError && (
        <ErrorState
          title={t`Notifications could not be loaded.`}
          reason={newest.error.message}
          onRetry={() => void newest.refetch()}
        />
      )}
      {newest.data?.items.length === 0 && (
        <EmptyState icon={<Bell />} title={t`Nothing new`}>
          <Trans>Quota warnings, expiring keys and due invoices appear here.</Trans>
        </EmptyState>
      )}
      {newest.data !== undefined && newest.data.items.length > 0 && (
        <ul className="divide-y divide-line">
          {newest.data.items.map((notification) => (
            <li key={notification.notificationId}>
              <NotificationItem
                notification={notification}
                onRead={() => markRead.mutate(notification.notificationId)}
                onFollow={onFollow}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type NotificationItemProps = {
  notification: Notification;
  onRead: () => void;
  onFollow: () => void;
};

function NotificationItem({ notification, onRead, onFollow }: NotificationItemProps) {
  const router = useRouter();
  const { title, body, link, createdAt, readAt } = notification;
  const isUnread = readAt === null;

  function follow(): void {
    if (isUnread) {
      onRead();
    }
    if (link !== null && isOwnPath(link)) {
      onFollow();
      router.history.push(link);
    }
  }

  return (
    <button
      type="button"
      onClick={follow}
      className={joinClasses(
        "focus-inset relative flex w-full flex-col gap-0.5 py-3 pr-4 pl-6 text-left",
        (isUnread || link !== null) && "cursor-pointer hover:bg-hover",
      )}
    >
      {isUnread && (
        <span
          aria-hidden="true"
          className="absolute top-[1.2rem] left-2.5 size-2 rounded-full bg-accent ring-1 ring-line-control"
        />
      )}
      <span className={joinClasses("[overflow-wrap:anywhere]", isUnread && "font-semibold")}>
        {isUnread && (
          <span className="sr-only">
            <Trans>Unread:</Trans>{" "}
          </span>
        )}
        {inLanguage(title)}
      </span>
      {body !== "" && (
        <span className="text-ink-muted [overflow-wrap:anywhere]">{inLanguage(body)}</span>
      )}
      <span className="text-ink-muted text-xs">
        <RelativeTime at={createdAt} isFocusable={false} />
      </span>
    </button>
  );
}

function LoadingList() {
  return (
    <div role="status" aria-label={t`Loading notifications`} className="divide-y divide-line">
      {["first", "second", "third"].map((place) => (
        <div key={place} className="space-y-2 py-3 pr-4 pl-6">
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-4 w-1/3" />
        </div>
      ))}
    </div>
  );
}

/** @param mark - Marks the notification of this id as read, or all up to it. */
function useMarkRead({ tenantId }: Reader, mark: (notificationId: string) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: mark,
    onError: (error) => toast.error(error.message),
    onSettled: () => client.invalidateQueries({ queryKey: [NOTIFICATIONS_KEY, tenantId] }),
  });
}
