import { createBell } from "#platform/bounded-wait.ts";
import { type ReaderTiming, type StreamReader, watchReader } from "#platform/watch-reader.ts";

/**
 * Streams events to a reader for as long as they may read them; silence is broken by heartbeats. When the stream ends early, the signal
 * of its events aborts.
 */
export async function* streamToReader<Event>(
  deps: Parameters<typeof watchReader>[0],
  reader: StreamReader,
  input: { timing: ReaderTiming; open(signal: AbortSignal): AsyncIterable<Event> },
): AsyncGenerator<Event | "heartbeat"> {
  const stop = new AbortController();
  const bell = createBell();
  const watch = watchReader(deps, reader, { timing: input.timing, bell });
  const waiting: Event[] = [];
  let isDone = false;

  async function collect(): Promise<void> {
    try {
      for await (const event of input.open(AbortSignal.any([reader.signal, stop.signal]))) {
        waiting.push(event);
        bell.ring();
      }
    } finally {
      isDone = true;
      bell.ring();
    }
  }

  const collected = collect();
  // Its failure is thrown below, when the stream ends.
  collected.catch(() => undefined);
  try {
    while (watch.isOpen()) {
      const heard = bell.next();
      yield* waiting.splice(0);
      if (isDone && waiting.length === 0) {
        break;
      }
      const outcome = await watch.wait({ heard, isMore: isDone || waiting.length > 0 });
      if (outcome === "over") {
        break;
      }
      if (outcome === "asked") {
        yield "heartbeat";
      }
    }
  } finally {
    stop.abort();
    watch.end();
    await collected;
  }
}
