import type { TenantNews } from "@turnpike/contract/documents";
import { type Actor, mayInTenant } from "@turnpike/domain/access/actor";
import { mayUseCollection } from "@turnpike/domain/documents/own-collection";
import { createBell } from "#platform/bounded-wait.ts";
import { type ReaderTiming, type StreamReader, watchReader } from "#platform/watch-reader.ts";
import type { ChangeSource } from "./documents.ports.ts";
import type { StreamDeps } from "./stream-changes.ts";

type Change = Parameters<Parameters<ChangeSource["subscribe"]>[0]>[0];

export type NewsEvent =
  | { kind: "news"; news: TenantNews }
  /** Nothing changed; shows that the connection is alive. */
  | { kind: "heartbeat" };

export type NewsInput = StreamReader & { actor: Actor; timing: ReaderTiming };

/** Clients choose names of collections: of a flood, readers get "anything". */
const COLLECTIONS_MAX = 100;

type Heard = { collections: Set<string>; notifications: boolean; isAnything: boolean };

function nothing(): Heard {
  return { collections: new Set(), notifications: false, isAnything: false };
}

/** Adds a change to what was heard. @returns Whether it concerns the reader. */
function hear(heard: Heard, change: Change, { actor, tenantId }: NewsInput): boolean {
  if (change.kind === "reset") {
    heard.isAnything = true;
    return true;
  }
  if (!("entityId" in change) || change.tenantId !== tenantId) {
    return false;
  }
  if (change.kind === "notification") {
    const isAllowed = mayInTenant(actor, "notifications:read", tenantId);
    heard.notifications ||= isAllowed;
    return isAllowed;
  }
  const [collection = ""] = change.entityId.split("/", 1);
  if (change.kind !== "document" || !mayUseCollection(actor.id, collection)) {
    return false;
  }
  heard.isAnything ||= heard.collections.size >= COLLECTIONS_MAX;
  heard.collections.add(collection);
  return true;
}

/**
 * Streams what of a tenant has changed, by name and without content: the reader then asks anew for what it shows. Begins with
 * "anything", because of what happened before the stream nothing is known. Changes that come faster than they are read go out
 * together, so that a slow reader costs no more memory than the names.
 *
 * Ends when the reader leaves, is no longer allowed, or after an hour.
 */
export async function* streamNews(deps: StreamDeps, input: NewsInput): AsyncGenerator<NewsEvent> {
  const bell = createBell();
  let heard: Heard = { ...nothing(), isAnything: true };
  const watch = watchReader(deps, input, {
    timing: input.timing,
    bell,
    isOfStream: (change) => hear(heard, change, input),
  });
  try {
    while (watch.isOpen()) {
      const next = bell.next();
      if (heard.isAnything || heard.notifications || heard.collections.size > 0) {
        const { collections, notifications, isAnything } = heard;
        heard = nothing();
        yield {
          kind: "news",
          news: isAnything
            ? { isAnything, collections: [], notifications: true }
            : { isAnything, collections: [...collections], notifications },
        };
        continue;
      }
      const outcome = await watch.wait({ heard: next, isMore: false });
      if (outcome === "over") {
        return;
      }
      if (outcome === "asked") {
        yield { kind: "heartbeat" };
      }
    }
  } finally {
    watch.end();
  }
}
