import { afterEach, describe, expect, it, vi } from "vitest";
import { RequestError } from "./error-message.ts";
import { createEventClient } from "./event-client.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function answer(chunks: readonly string[], status = 200): Request[] {
  const asked: Request[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push(new Request(url, init));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) {
          controller.enqueue(new TextEncoder().encode(chunk));
        }
        controller.close();
      },
    });
    return new Response(body, { status });
  });
  return asked;
}

async function read(chunks: readonly string[]) {
  const asked = answer(chunks);
  const follow = createEventClient(async () => "token");
  const events: unknown[] = [];
  for await (const event of follow("https://api.example.com/live", new AbortController().signal)) {
    events.push(event);
  }
  return { events, asked };
}

describe("createEventClient", () => {
  it("reads events however they are cut, and comments as heartbeats", async () => {
    const text = ':\n\nevent: calls\ndata: {"n":1}\n\nid: 7\nevent: coverage\ndata: {"é":"😀"}\n\n';
    const whole = await read([text]);
    expect(whole.events).toEqual([
      { name: "heartbeat", data: undefined },
      { name: "calls", data: { n: 1 } },
      { name: "coverage", data: { é: "😀" } },
    ]);
    expect((await read([...text])).events).toEqual(whole.events);
    expect(whole.asked[0]?.headers.get("authorization")).toBe("Bearer token");
  });

  it("gives up what is silent for longer than heartbeats are apart, with or without an answer", async () => {
    vi.useFakeTimers();
    let send: (text: string) => void = () => undefined;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
      cancel() {
        isCancelled = true;
      },
    });
    vi.stubGlobal("fetch", async () => new Response(body));
    const { signal } = new AbortController();
    const follow = createEventClient(async () => undefined);
    const events = follow("https://api.example.com/live", signal);
    for (let n = 0; n < 4; n += 1) {
      const next = events.next();
      await vi.advanceTimersByTimeAsync(39_000);
      send(":\n\n");
      expect((await next).value).toEqual({ name: "heartbeat", data: undefined });
    }
    const silent = events.next().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await silent).toBeInstanceOf(RequestError);
    expect(isCancelled).toBe(true);

    let asked: AbortSignal | null | undefined;
    vi.stubGlobal("fetch", (_url: string, init: RequestInit) => {
      asked = init.signal;
      return new Promise(() => undefined);
    });
    const unanswered = follow("https://api.example.com/live", signal);
    const failure = unanswered.next().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await failure).toBeInstanceOf(RequestError);
    expect(asked?.aborted).toBe(true);
  });

  it("tells why there is no stream, in the words of the server", async () => {
    answer(['{"code":"RESOURCE_NOT_FOUND","error":"There is no such tenant."}'], 404);
    const events = createEventClient(async () => undefined)(
      "https://api.example.com/live",
      new AbortController().signal,
    );
    const failure = await events.next().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RequestError);
    expect(failure).toMatchObject({ status: 404, message: "There is no such tenant." });
  });
});
