import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";

/** How often is asked beside the stream of news, in milliseconds, in case it cannot be opened. */
const LOOK_EVERY_MS = 600_000;
/** How often is looked for news where a browser cannot follow the stream. */
const LOOK_ALONE_EVERY_MS = 60_000;
/** From here on the bell only says that there are more. */
export const UNREAD_COUNTED_MAX = 9;
/** What the list shows, newest first. */
const LISTED_MAX = 20;

export const NOTIFICATIONS_KEY = "notifications";

export type Reader = Required<
  Pick<Parameters<ApiClient["notifications"]["list"]>[0], "tenantId" | "userId">
>;

/** What the person has not read yet, as far as the bell counts. */
export function unreadQuery(api: ApiClient, reader: Reader) {
  return queryOptions({
    queryKey: [NOTIFICATIONS_KEY, reader.tenantId, "unread"],
    queryFn: ({ signal }) =>
      api.notifications.list(
        { ...reader, unread: true, limit: UNREAD_COUNTED_MAX + 1 },
        { signal },
      ),
    refetchInterval: () => (window.isSecureContext ? LOOK_EVERY_MS : LOOK_ALONE_EVERY_MS),
  });
}

/** The newest notifications, read or not. */
export function newestQuery(api: ApiClient, reader: Reader) {
  return queryOptions({
    queryKey: [NOTIFICATIONS_KEY, reader.tenantId, "newest"],
    queryFn: ({ signal }) => api.notifications.list({ ...reader, limit: LISTED_MAX }, { signal }),
    // Opened to see what is new: never what was new a minute ago.
    staleTime: 0,
  });
}
