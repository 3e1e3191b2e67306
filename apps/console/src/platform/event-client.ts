import { RequestError, rethrowReadable } from "./error-message.ts";
import { type GetIdToken, sendSignedIn } from "./send-signed-in.ts";

/** An event as the server sent it; `data` is parsed JSON. A comment is a `heartbeat`: it shows that the connection stands. */
export type ServerEvent = { name: string; data: unknown };

/**
 * Follows server-sent events. Read with `fetch`, because the browser's own `EventSource` sends no credential.
 *
 * Ends when the server ends the stream or `signal` is aborted.
 *
 * @throws {RequestError} With a message for people, when the answer is no success, or the connection breaks or is silent for 40 seconds.
 */
export type EventClient = (
  url: string,
  signal: AbortSignal,
  /** Sent as JSON by POST; left out: a GET. */
  body?: object,
) => AsyncGenerator<ServerEvent>;

/** Nothing of ours is so long: what goes on without an end is not kept in memory. */
const EVENT_LENGTH_MAX = 4_000_000;

/** Heartbeats come every 15 seconds, so a connection this silent is lost, for example after the device slept. */
const SILENCE_MS_MAX = 40_000;

/** @throws {Error} When nothing comes for too long. */
async function hearWithin<Heard>(heard: Promise<Heard>): Promise<Heard> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("The connection went silent.")), SILENCE_MS_MAX);
  });
  try {
    return await Promise.race([heard, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param getIdToken - Asked before every stream; undefined sends no header. */
export function createEventClient(getIdToken: GetIdToken): EventClient {
  return async function* follow(url, signal, body) {
    const ending = new AbortController();
    try {
      const response = await sendSignedIn(getIdToken, (idToken) =>
        hearWithin(
          fetch(url, {
            headers: {
              ...(idToken === undefined ? {} : { authorization: `Bearer ${idToken}` }),
              ...(body === undefined ? {} : { "content-type": "application/json" }),
            },
            ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
            signal: AbortSignal.any([signal, ending.signal]),
          }),
        ),
      );
      if (!response.ok || response.body === null) {
        throw await toFailure(response);
      }
      yield* readEvents(response.body);
    } catch (cause) {
      if (!signal.aborted) {
        rethrowReadable(cause);
      }
    } finally {
      ending.abort();
    }
  };
}

async function toFailure(response: Response): Promise<RequestError> {
  const body: unknown = await response.json().catch(() => undefined);
  const cause = { status: response.status, data: { body } };
  try {
    return rethrowReadable(Object.assign(new Error(response.statusText), cause));
  } catch (error) {
    return error instanceof RequestError ? error : new RequestError(response.statusText, cause);
  }
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await hearWithin(reader.read());
      if (done) {
        return;
      }
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = parts.pop() ?? "";
      if (rest.length > EVENT_LENGTH_MAX) {
        throw new Error("An event is too long.");
      }
      for (const part of parts) {
        const event = parseEvent(part);
        if (event !== undefined) {
          yield event;
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** @returns Undefined for what is neither an event nor a comment. */
function parseEvent(text: string): ServerEvent | undefined {
  if (text.startsWith(":")) {
    return { name: "heartbeat", data: undefined };
  }
  const fields = new Map(
    text.split("\n").flatMap((line) => {
      const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value ?? ""] as const];
    }),
  );
  const data = fields.get("data");
  return data === undefined
    ? undefined
    : { name: fields.get("event") ?? "message", data: JSON.parse(data) };
}
