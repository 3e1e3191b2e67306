import type { LookupAddress, LookupOptions } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { buildConnector, Client, type Dispatcher } from "undici";
import { withTimeout } from "./bounded-wait.ts";
import { isInNetworks, isPublicAddress, toNetworkList } from "./public-address.ts";

/** Why no call was made, or none was answered. The message is for the person who entered the address. */
export class GuardedOutboundError extends Error {
  override readonly name: string = "GuardedOutboundError";
}

/** The address itself is not allowed, now or at any time. */
export class AddressRefusedError extends GuardedOutboundError {
  override readonly name = "AddressRefusedError";
}

export type GuardedAnswer = {
  status: number;
  /** The header as it came; undefined when there was none. */
  retryAfter: string | undefined;
  /** The beginning of what was answered, at most 1 kB; broken characters are replaced. */
  text: string;
};

/**
 * Calls to addresses that were not entered by the operator. `https` on port 443 or 8443, at public addresses
 * only: every address that a name has is looked at, and the connection goes to one of exactly those. No redirect is
 * followed, and nothing is kept of a connection, so the next call is checked anew.
 *
 * What the operator lists in `allowPrivate` may be called wherever it is, also by `http` and on any port.
 */
export interface GuardedOutbound {
  /**
   * Says whether an address may be called now; calls nothing.
   *
   * @throws {AddressRefusedError} When it may not.
   * @throws {GuardedOutboundError} When its name leads nowhere.
   */
  assertCallable(url: string): Promise<void>;
  /**
   * Posts a text. Every status is an answer.
   *
   * @param input.timeoutMs - From the look-up of the name to the status line.
   * @throws {AddressRefusedError} When the address may not be called.
   * @throws {GuardedOutboundError} When no answer came.
   */
  post(
    url: string,
    input: { headers: Readonly<Record<string, string>>; body: string; timeoutMs: number },
  ): Promise<GuardedAnswer>;
  /**
   * Gets a small document. Every status is an answer.
   *
   * @param input.timeoutMs - From the look-up of the name to the last byte.
   * @throws {AddressRefusedError} When the address may not be called.
   * @throws {GuardedOutboundError} When no answer came, or one that is too large.
   */
  get(
    url: string,
    input: { accept: string; timeoutMs: number; bytesMax: number },
  ): Promise<GuardedDocument>;
  /**
   * Sends a request and reads its whole answer, for a library that speaks a protocol. Every status is an answer.
   *
   * @param input.timeoutMs - From the look-up of the name to the last byte.
   * @throws {AddressRefusedError} When the address may not be called.
   * @throws {GuardedOutboundError} When no answer came, or one that is too large.
   */
  exchange(
    url: string,
    input: {
      method: "GET" | "POST";
      headers: Readonly<Record<string, string>>;
      body?: string | undefined;
      timeoutMs: number;
      bytesMax: number;
    },
  ): Promise<{ status: number; headers: Readonly<Record<string, string>>; text: string }>;
}

export type GuardedDocument = {
  status: number;
  /** The header as it came; undefined when there was none. */
  cacheControl: string | undefined;
  text: string;
};

export type GuardedOutboundOptions = {
  /** Addresses, ranges and names that may be called although they are not public. */
  allowPrivate: readonly string[];
  /** All addresses of a name, empty when there are none. Default: the system's name servers. */
  resolve?: (hostname: string) => Promise<string[]>;
};

type Target = { url: URL; addresses: string[] };

const URL_LENGTH_MAX = 2_000;
const PORTS = new Set(["", "443", "8443"]);
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
const TEXT_BYTES_MAX = 1_024;
/** The verdict is in the status line: what is only shown is not waited for long. */
const TEXT_TIMEOUT_MS = 2_000;

/**
 * Asks the name servers without the thread pool that files share: names of others may take as long as their owners like.
 */
async function askNameServers(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const answers = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

/** As this machine sees a name, its hosts file included: for names that the operator has listed. */
async function askSystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

function parseTarget(text: string): URL {
  if (text.length > URL_LENGTH_MAX || !URL.canParse(text)) {
    throw new AddressRefusedError("Not an address such as https://example.com/webhooks.");
  }
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new AddressRefusedError("Only https addresses are called.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new AddressRefusedError("An address without user and password.");
  }
  return url;
}

function toHost(url: URL): string {
  // The parser has brought every spelling of an address (decimal, octal, full-width) into its usual form.
  return url.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
}

/** Says what went wrong in words that tell nothing of our own network. */
function toReason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError" || name === "AbortError" || /TIMED?OUT/.test(code)) {
    return "No answer in time.";
  }
  if (code === "ECONNREFUSED") {
    return "The connection was refused.";
  }
  if (code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || /CERT|SELF_SIGNED/.test(code)) {
    return `The connection is not secure (${code}).`;
  }
  return name === "HTTPParserError" || code === "UND_ERR_HEADERS_OVERFLOW"
    ? "The answer is not understood."
    : "The connection broke.";
}

/** Reads at most 1 kB of what arrives in time. */
async function readBeginning(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => body.destroy(), TEXT_TIMEOUT_MS);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= TEXT_BYTES_MAX) {
        break;
      }
    }
  } catch {
    // The answer broke off or took too long: its beginning is shown all the same.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, TEXT_BYTES_MAX));
}

/** @throws {GuardedOutboundError} When there is more. */
async function readWhole(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  bytesMax: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > bytesMax) {
      body.destroy();
      throw new GuardedOutboundError(`The answer has more than ${String(bytesMax)} bytes.`);
    }
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** The same for names that do not exist and for private ones, so that nothing is learned about the operator's network. */
function notPublic(host: string): string {
  return isIP(host) === 0
    ? `The name ${host} leads to no address on the public internet. The operator can allow a private one.`
    : "The address leads into a network that is not public. The operator can allow it.";
}

export function createGuardedOutbound(options: GuardedOutboundOptions): GuardedOutbound {
  const resolve = options.resolve ?? askNameServers;
  const ranges = options.allowPrivate.filter((entry) => isIP(entry.split("/")[0] ?? "") !== 0);
  const networks = toNetworkList(ranges);
  const names = new Set(
    options.allowPrivate
      .filter((entry) => !ranges.includes(entry))
      .map((name) => name.toLowerCase()),
  );

  async function findAddresses(host: string): Promise<string[]> {
    if (isIP(host) !== 0) {
      return [host];
    }
    const addresses = await (names.has(host) ? askSystem : resolve)(host);
    if (addresses.length === 0) {
      throw new GuardedOutboundError(notPublic(host));
    }
    return addresses;
  }

  async function findTarget(text: string): Promise<Target> {
    const url = parseTarget(text);
    const host = toHost(url);
    const addresses = await findAddresses(host);
    const isListed =
      names.has(host) || addresses.every((address) => isInNetworks(address, networks));
    if (isListed) {
      return { url, addresses };
    }
    // One that is not public spoils them all: which one a connection takes is not ours to say.
    if (!addresses.every(isPublicAddress)) {
      throw new AddressRefusedError(notPublic(host));
    }
    if (url.protocol !== "https:" || !PORTS.has(url.port)) {
      throw new AddressRefusedError("Only https on port 443 or 8443 is called.");
    }
    return { url, addresses };
  }

  /** Connects to the addresses that were looked at and to no other, also when the name says another by now. */
  function createClient({ url, addresses }: Target, timeoutMs: number): Client {
    const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
    const connector = buildConnector({
      timeout: timeoutMs,
      autoSelectFamily: true,
      lookup: (
        _hostname: string,
        asked: LookupOptions,
        done: (
          error: NodeJS.ErrnoException | null,
          found: string | LookupAddress[],
          family?: number,
        ) => void,
      ) => {
        const [first] = pinned;
        if (asked.all === true || first === undefined) {
          done(null, pinned);
        } else {
          done(null, first.address, first.family);
        }
      },
    });
    return new Client(url.origin, {
      pipelining: 0,
      maxHeaderSize: 16 * 1024,
      connect: (target, done) => {
        connector(target, (error, socket) => {
          if (error !== null) {
            done(error, null);
            return;
          }
          const peer = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, "");
          if (peer === undefined || !addresses.includes(peer)) {
            socket.destroy();
            done(new AddressRefusedError("The connection led to another address."), null);
            return;
          }
          done(null, socket);
        });
      },
    });
  }

  /** Makes one request, and reads its answer while the connection is open. */
  async function call<Result>(
    text: string,
    request: Omit<Dispatcher.RequestOptions, "path"> & { timeoutMs: number },
    read: (answer: Dispatcher.ResponseData) => Promise<Result>,
  ): Promise<Result> {
    const { timeoutMs, ...sent } = request;
    const signal = AbortSignal.timeout(timeoutMs);
    const target = await withTimeout(findTarget(text), timeoutMs).catch((error: unknown) => {
      throw error instanceof GuardedOutboundError
        ? error
        : new GuardedOutboundError("The name was not found in time.", { cause: error });
    });
    const client = createClient(target, timeoutMs);
    try {
      const path = target.url.pathname + target.url.search;
      return await read(await client.request({ ...sent, path, signal }));
    } catch (error) {
      if (error instanceof GuardedOutboundError) {
        throw error;
      }
      throw new GuardedOutboundError(toReason(error), { cause: error });
    } finally {
      await client.destroy();
    }
  }

  const single = (header: string | string[] | undefined) =>
    typeof header === "string" ? header : undefined;
  const userAgent = { "user-agent": "turnpike" };

  return {
    async assertCallable(text) {
      await findTarget(text);
    },
    async post(text, { headers, body, timeoutMs }) {
      const sent = { method: "POST", headers: { ...userAgent, ...headers }, body } as const;
      return await call(text, { ...sent, timeoutMs }, async (answer) => ({
        status: answer.statusCode,
        retryAfter: single(answer.headers["retry-after"]),
        text: await readBeginning(answer.body),
      }));
    },
    async get(text, { accept, timeoutMs, bytesMax }) {
      const sent = { method: "GET", headers: { ...userAgent, accept } } as const;
      return await call(text, { ...sent, timeoutMs }, async (answer) => ({
        status: answer.statusCode,
        cacheControl: single(answer.headers["cache-control"]),
        text: await readWhole(answer.body, bytesMax),
      }));
    },
    async exchange(text, { method, headers, body, timeoutMs, bytesMax }) {
      const sent = { method, headers: { ...userAgent, ...headers }, body: body ?? null };
      return await call(text, { ...sent, timeoutMs }, async (answer) => ({
        status: answer.statusCode,
        headers: Object.fromEntries(
          Object.entries(answer.headers).flatMap(([name, value]) =>
            typeof value === "string" ? [[name, value]] : [],
          ),
        ),
        text: await readWhole(answer.body, bytesMax),
      }));
    },
  };
}
