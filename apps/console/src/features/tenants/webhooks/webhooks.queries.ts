import { queryOptions } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { askAgainIn } from "#platform/ask-again-in.ts";
import type { TenantId } from "../tenants.queries.ts";

export type Webhook = Awaited<ReturnType<ApiClient["webhooks"]["list"]>>["items"][number];
export type Delivery = Awaited<
  ReturnType<ApiClient["webhooks"]["listDeliveries"]>
>["items"][number];
export type Attempt = Awaited<
  ReturnType<ApiClient["webhooks"]["getDelivery"]>
>["attemptLog"][number];

const PAGE = 25;
/** How often pending deliveries are refreshed, in milliseconds. */
const REFRESH_MS = 3_000;

export const webhooksQueries = {
  deliveries: (
    api: ApiClient,
    tenantId: TenantId,
    page: { webhookId: string; cursor: string | undefined },
  ) =>
    queryOptions({
      queryKey: ["webhooks", tenantId, page.webhookId, "deliveries", page.cursor ?? null],
      queryFn: ({ signal }) =>
        api.webhooks.listDeliveries(
          {
            tenantId,
            webhookId: page.webhookId,
            limit: PAGE,
            ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
          },
          { signal },
        ),
      staleTime: 0,
      refetchInterval: askAgainIn(REFRESH_MS),
    }),

  delivery: (api: ApiClient, tenantId: TenantId, name: { webhookId: string; messageId: string }) =>
    queryOptions({
      queryKey: ["webhooks", tenantId, name.webhookId, "delivery", name.messageId],
      queryFn: ({ signal }) => api.webhooks.getDelivery({ tenantId, ...name }, { signal }),
      staleTime: 0,
      refetchInterval: askAgainIn(REFRESH_MS),
    }),
};
