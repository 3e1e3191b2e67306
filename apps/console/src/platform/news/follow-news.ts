import type { TenantNews } from "@turnpike/contract/documents";
import { RequestError } from "../error-message.ts";
import type { ServerEvent } from "../event-client.ts";

/** Between two tries, in milliseconds; the last one goes on. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;
/** No right to it, or no such tenant: asked again, the answer is the same. */
const FINAL_STATUSES = new Set([400, 401, 403, 404]);

export type NewsDeps = {
  /** Opens the stream of one tenant's news. */
  open(signal: AbortSignal): AsyncIterable<ServerEvent>;
  /** Tells the other tabs; a channel hears nothing of itself. */
  channel: Pick<BroadcastChannel, "postMessage" | "addEventListener" | "removeEventListener">;
  /** Runs a task while no other tab runs one of that name; the rest waits for its turn. */
  inTurn(name: string, signal: AbortSignal, task: () => Promise<void>): Promise<void>;
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

/** What tabs tell each other. */
type Message = { name: string; news: TenantNews };

function isMessageOf(name: string, data: unknown): data is Message {
  return typeof data === "object" && data !== null && "name" in data && data.name === name;
}

async function readUntilOver(
  { open, wait }: NewsDeps,
  signal: AbortSignal,
  onNews: (news: TenantNews) => void,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      for await (const event of open(signal)) {
        failures = 0;
        if (event.name === "news") {
          onNews(event.data as TenantNews);
        }
      }
    } catch (error) {
      if (error instanceof RequestError && FINAL_STATUSES.has(error.status ?? 0)) {
        return;
      }
    }
    await wait(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0, signal);
  }
}

/**
 * Follows the news of one tenant in every tab of a browser over one connection: one tab reads the stream and tells the others, and
 * when it is closed the next one takes over. Each stream begins with "anything", so that nothing is missed in between.
 *
 * @param name - Of the person and the tenant: tabs with the same name share the connection.
 * @returns What ends it for this tab.
 */
export function followNews(
  deps: NewsDeps,
  name: string,
  onNews: (news: TenantNews) => void,
): () => void {
  const { channel } = deps;
  const ending = new AbortController();
  const hear = ({ data }: MessageEvent<unknown>): void => {
    if (isMessageOf(name, data)) {
      onNews(data.news);
    }
  };
  channel.addEventListener("message", hear);
  const tell = (news: TenantNews): void => {
    onNews(news);
    channel.postMessage({ name, news } satisfies Message);
  };
  deps
    .inTurn(name, ending.signal, () => readUntilOver(deps, ending.signal, tell))
    // Ended while it waited for its turn.
    .catch(() => undefined);
  return () => {
    ending.abort();
    channel.removeEventListener("message", hear);
  };
}
