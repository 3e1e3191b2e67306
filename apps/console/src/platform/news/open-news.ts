import type { TenantNews } from "@turnpike/contract/documents";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Platform } from "../platform.tsx";
import { followNews } from "./follow-news.ts";

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Follows the news of a tenant in this browser. Browsers have locks on safe addresses only; without them each tab would hold a
 * connection of the few that a browser opens to one address, so that there are no news and screens ask from time to time.
 *
 * @returns What ends it.
 */
export function openNews(
  { config, events }: Platform,
  reader: { tenantId: TenantId; userId: string },
  onNews: (news: TenantNews) => void,
): () => void {
  if (!window.isSecureContext) {
    return () => undefined;
  }
  const channel = new BroadcastChannel("news");
  const end = followNews(
    {
      open: (signal) => events(`${config.urls.api}/v1/tenants/${reader.tenantId}/news`, signal),
      channel,
      inTurn: async (name, signal, task) => await navigator.locks.request(name, { signal }, task),
      wait: waitFor,
    },
    `news ${reader.userId} ${reader.tenantId}`,
    onNews,
  );
  return () => {
    end();
    channel.close();
  };
}
