import { isIPv4 } from "node:net";
import { Agent, request } from "undici";

/** A call to another server failed: no answer in time, an answer of another kind, or one that is too large. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
}

export type OutboundLimits = {
  /** From the call to the last byte of the answer. */
  timeoutMs: number;
  bytesMax: number;
};

/** Calls to addresses outside. The addresses come from the operator's configuration or from a server it names. */
export interface Outbound {
  /**
   * Gets a JSON document by `https`, or by `http` from this machine. Redirects are not followed: they would lead away from
   * the configured address.
   *
   * @throws {OutboundError} for everything that can go wrong; the message names the host, never what was answered.
   */
  getJson(url: string, limits: OutboundLimits): Promise<unknown>;
  /**
   * The same for a document that was gotten before: asks with its ETag.
   *
   * @param etag - Of the document that is at hand; left out: none is.
   * @returns `undefined` when that document is still the one.
   * @throws {OutboundError} As above.
   */
  getJsonIfChanged(
    url: string,
    limits: OutboundLimits,
    etag: string | undefined,
  ): Promise<{ value: unknown; etag: string | undefined } | undefined>;
  /**
   * Gets a text, also by plain `http` and from private networks: what the operator's own configuration names, and whose
   * answer decides about nothing but names. Redirects are not followed.
   *
   * @param etag - As above.
   * @throws {OutboundError} As above.
   */
  getTextIfChanged(
    url: string,
    limits: OutboundLimits,
    etag: string | undefined,
  ): Promise<{ text: string; etag: string | undefined } | undefined>;
  close(): Promise<void>;
}

/** True for names and addresses of this machine: `localhost`, `127.0.0.0/8` and `::1`, with brackets or without. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function parseAnyAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new OutboundError("Only http and https addresses are called.");
  }
  return url;
}

function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed =
    url !== undefined &&
    url.username === "" &&
    url.password === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)));
  if (!isAllowed) {
    throw new OutboundError("Only https addresses are called, or http on this machine.");
  }
  return url;
}

/** Longer ones are not worth sending back. */
const ETAG_LENGTH_MAX = 500;

async function readBounded(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > bytesMax) {
      throw new OutboundError(`The answer has more than ${String(bytesMax)} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function createOutbound(): Outbound {
  // No pool is kept for long: these calls are rare, and a server that was replaced should be found anew.
  const agent = new Agent({ keepAliveTimeout: 1_000, connections: 4, maxHeaderSize: 16 * 1024 });

  async function getText(
    url: URL,
    limits: OutboundLimits,
    etag: string | undefined,
    accept = "application/json",
  ): Promise<{ text: string; etag: string | undefined } | undefined> {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      method: "GET",
      headers: {
        accept,
        // Some refuse callers without a name.
        "user-agent": "turnpike",
        ...(etag === undefined ? {} : { "if-none-match": etag }),
      },
      signal: AbortSignal.timeout(limits.timeoutMs),
    });
    if (statusCode === 304 && etag !== undefined) {
      await body.dump();
      return;
    }
    if (statusCode !== 200) {
      // Destroying the rest of the answer makes it fail, and an unhandled error would end the process.
      body.on("error", () => undefined).destroy();
      throw new OutboundError(`${url.host} answered with status ${String(statusCode)}.`);
    }
    const given = headers["etag"];
    return {
      text: await readBounded(body, limits.bytesMax),
      etag: typeof given === "string" && given.length <= ETAG_LENGTH_MAX ? given : undefined,
    };
  }

  async function getJsonIfChanged(
    address: string,
    limits: OutboundLimits,
    etag: string | undefined,
  ): Promise<{ value: unknown; etag: string | undefined } | undefined> {
    const url = parseAddress(address);
    try {
      const answer = await getText(url, limits, etag);
      return answer === undefined
        ? undefined
        : { value: JSON.parse(answer.text), etag: answer.etag };
    } catch (error) {
      if (error instanceof OutboundError) {
        throw error;
      }
      const reason = error instanceof SyntaxError ? "answered no JSON" : "cannot be reached";
      throw new OutboundError(`${url.host} ${reason}.`, { cause: error });
    }
  }

  async function getTextIfChanged(
    address: string,
    limits: OutboundLimits,
    etag: string | undefined,
  ): Promise<{ text: string; etag: string | undefined } | undefined> {
    const url = parseAnyAddress(address);
    try {
      return await getText(url, limits, etag, "application/json, application/yaml, */*;q=0.5");
    } catch (error) {
      throw error instanceof OutboundError
        ? error
        : new OutboundError(`${url.host} cannot be reached.`, { cause: error });
    }
  }

  return {
    getTextIfChanged,
    getJsonIfChanged,
    getJson: async (address, limits) => (await getJsonIfChanged(address, limits, undefined))?.value,
    close: () => agent.destroy(),
  };
}
