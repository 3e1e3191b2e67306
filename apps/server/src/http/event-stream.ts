import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Actor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { judgeShare } from "@turnpike/domain/limits/fair-share";
import type { RawCall } from "./raw-route.ts";

const STREAMS_PER_ACTOR_MAX = 6;
/** Each takes a connection and some 50 kB, and is asked for its right to stay again and again. */
const STREAMS_MAX = 2_000;
/** A reader that takes nothing for this long is dropped, and may come back. */
export const STREAM_DRAIN_MS = 10_000;

/** A comment that shows the connection is alive. */
export const HEARTBEAT_TEXT = ":\n\n";

/** Writes a server-sent event. JSON has no raw line breaks, so the data is one line. */
export function toEventText(event: { name: string; id?: string; data: unknown }): string {
  const id = event.id === undefined ? "" : `id: ${event.id}\n`;
  return `${id}event: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

/** Counts the open streams of this process, of all kinds of streams that share it: in all, of each tenant, of each actor. */
export type StreamSlots = {
  /**
   * Takes a permit for a stream of `tenantId`. A tenant may have as many open as stay free for all others.
   *
   * @returns A function that returns the permit.
   * @throws {AppError} `TOO_MANY_STREAMS` beyond the share of the actor or of the tenant, `OVERLOADED` when none is free.
   */
  take(actor: Actor, tenantId: TenantId): () => void;
};

function tooManyStreams(publicMessage: string): AppError {
  return new AppError({
    code: "TOO_MANY_STREAMS",
    publicMessage,
    headers: { "retry-after": "5" },
  });
}

function addTo(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) {
    counts.delete(name);
  } else {
    counts.set(name, count);
  }
}

export function createStreamSlots(streamsMax = STREAMS_MAX): StreamSlots {
  const ofActor = new Map<string, number>();
  const ofTenant = new Map<string, number>();
  let open = 0;

  function assertShare(holder: string, tenantId: TenantId): void {
    if ((ofActor.get(holder) ?? 0) >= STREAMS_PER_ACTOR_MAX) {
      throw tooManyStreams(`At most ${String(STREAMS_PER_ACTOR_MAX)} streams may be open at once.`);
    }
    const own = ofTenant.get(tenantId) ?? 0;
    switch (judgeShare({ whole: streamsMax, taken: open, own, asked: 1 })) {
      case "over-share":
        throw tooManyStreams("This tenant has its share of the streams open.");
      case "full":
        throw new AppError({
          code: "OVERLOADED",
          publicMessage: "Too many streams are open. Try again in a moment.",
          headers: { "retry-after": "5" },
        });
      default:
    }
  }

  return {
    take(actor, tenantId) {
      const holder = `${actor.type} ${actor.id}`;
      assertShare(holder, tenantId);
      const count = (change: 1 | -1) => {
        open += change;
        addTo(ofActor, holder, change);
        addTo(ofTenant, tenantId, change);
      };
      count(1);
      return () => count(-1);
    },
  };
}

/** @returns False when the reader is too slow or gone. */
async function send(
  res: ServerResponse,
  text: string,
  input: { signal: AbortSignal; drainMs: number },
): Promise<boolean> {
  if (res.destroyed || res.write(text)) {
    return !res.destroyed;
  }
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(input.drainMs)]);
  return await once(res, "drain", { signal }).then(
    () => true,
    () => false,
  );
}

/**
 * Answers with server-sent events until they end, the reader leaves or takes nothing for `drainMs`, or the process drains.
 *
 * @param input.open - Makes the events, as texts; its signal aborts when the reader is gone.
 */
export async function sendEvents(
  { req, res }: RawCall,
  input: {
    open(signal: AbortSignal): AsyncIterable<string>;
    shutdown: AbortSignal;
    drainMs: number;
  },
): Promise<void> {
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  const signal = AbortSignal.any([gone.signal, input.shutdown]);
  res.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    // nginx would otherwise collect the events.
    "x-accel-buffering": "no",
  });
  if (req.method === "HEAD") {
    res.end();
    return;
  }
  res.flushHeaders();
  for await (const text of input.open(signal)) {
    if (!(await send(res, text, { signal, drainMs: input.drainMs }))) {
      res.destroy();
      return;
    }
  }
  res.end();
}
