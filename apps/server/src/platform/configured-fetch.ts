import { Agent, request } from "undici";
import { OutboundError } from "./outbound.ts";

/** What libraries call to reach a server; a part of the standard `fetch`. */
export type ConfiguredFetch = (
  input: string | URL | Request,
  init?: RequestInit,
) => Promise<Response>;

/** A model reads for a while before it answers; the caller's signal ends it earlier. */
const SILENCE_MAX_MS = 10 * 60_000;

async function* bound(body: AsyncIterable<Uint8Array>, bytesMax: number) {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      throw new OutboundError(`The answer has more than ${String(bytesMax)} bytes.`);
    }
    yield chunk;
  }
}

/** Headers of one value each, with their names in small letters. */
function toPlainHeaders(headers: RequestInit["headers"]): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}

/**
 * Makes a `fetch` for the library of one service, whose address the operator configured: it may be in a private network. Redirects are
 * not followed, other addresses are refused, and an answer is bounded while it streams.
 *
 * @param base - With a path; only addresses below it are called.
 */
export function createConfiguredFetch(base: string, limits: { bytesMax: number }): ConfiguredFetch {
  const agent = new Agent({
    keepAliveTimeout: 1_000,
    connections: 64,
    maxHeaderSize: 16 * 1024,
    headersTimeout: SILENCE_MAX_MS,
    bodyTimeout: SILENCE_MAX_MS,
  });
  const prefix = `${base.replace(/\/+$/, "")}/`;
  return async (input, init = {}) => {
    const address = input instanceof Request ? input.url : String(input);
    if (!new URL(address).href.startsWith(new URL(prefix).href)) {
      throw new OutboundError("Only addresses of the configured service are called.");
    }
    if (init.body !== undefined && init.body !== null && typeof init.body !== "string") {
      throw new OutboundError("Only texts are sent.");
    }
    const { statusCode, headers, body } = await request(address, {
      dispatcher: agent,
      method: init.method === "POST" ? "POST" : "GET",
      headers: toPlainHeaders(init.headers),
      body: init.body ?? null,
      ...(init.signal ? { signal: init.signal } : {}),
    });
    const given = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      for (const each of [value ?? []].flat()) {
        given.append(name, each);
      }
    }
    return new Response(ReadableStream.from(bound(body, limits.bytesMax)), {
      status: statusCode,
      headers: given,
    });
  };
}
