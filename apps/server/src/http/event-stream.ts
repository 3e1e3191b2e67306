import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Actor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { RawCall } from "./raw-route.ts";

const STREAMS_PER_ACTOR_MAX = 6;
/** A reader that takes nothing for this long is dropped, and may come back. */
export const STREAM_DRAIN_MS = 10_000;

/** A comment that shows the connection is alive. */
export const HEARTBEAT_TEXT = ":\n\n";

/** Writes a server-sent event. JSON has no raw line breaks, so the data is one line. */
export function toEventText(event: { name: string; id?: string; data: unknown }): string {
  const id = event.id === undefined ? "" : `id: ${event.id}\n`;
  return `${id}event: ${event.name}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

/** Counts the open streams of each actor in this process, of all kinds of streams that share it. */
export type StreamSlots = {
  /** @returns A function that returns the permit. @throws {AppError} `TOO_MANY_STREAMS`. */
  take(actor: Actor): () => void;
};

export function createStreamSlots(): StreamSlots {
  const open = new Map<string, number>();
  return {
    take(actor) {
      const holder = `${actor.type} ${actor.id}`;
      const count = open.get(holder) ?? 0;
      if (count >= STREAMS_PER_ACTOR_MAX) {
        throw new AppError({
          code: "TOO_MANY_STREAMS",
          publicMessage: `At most ${String(STREAMS_PER_ACTOR_MAX)} streams may be open at once.`,
          headers: { "retry-after": "5" },
        });
      }
      open.set(holder, count + 1);
      return () => {
        const left = (open.get(holder) ?? 1) - 1;
        if (left === 0) {
          open.delete(holder);
        } else {
          open.set(holder, left);
        }
      };
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
