import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { XMLParser } from "fast-xml-parser";
import { Agent, type Dispatcher, request } from "undici";
import type { Clock } from "./clock.ts";
import { signS3Address, signS3Headers } from "./sign-s3.ts";

/** A bucket of an S3-compatible store. */
export type S3Settings = {
  /** Scheme, host and port. */
  endpoint: string;
  /** The same store as browsers reach it. */
  publicEndpoint: string;
  region: string;
  bucket: string;
  /** True: the bucket is in the path. False: it is in front of the host. */
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
};

/** The store refused a request, or did not answer. The message is for the operator. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  /** Of the answer; 0 where there was none. */
  readonly status: number;
  /** What the store calls it, such as `NoSuchBucket`; empty where it does not say. */
  readonly code: string;

  constructor(input: { message: string; status?: number; code?: string; cause?: unknown }) {
    super(input.message, { cause: input.cause });
    this.status = input.status ?? 0;
    this.code = input.code ?? "";
  }
}

export type S3Request = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Of the object; left out: the bucket. Letters, digits and `-_./` alone. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | string;
};

type Headers = Readonly<Record<string, string | undefined>>;

export interface S3Client {
  /** Makes a request whose answer is small. @throws {S3Error} for every status but 2xx. */
  call(request: S3Request): Promise<{ headers: Headers; document: unknown }>;
  /** Gets an object as a stream. @throws {S3Error} for every status but 2xx. */
  open(
    key: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; content: AsyncIterable<Uint8Array> }>;
  /** Signs an address of an object for browsers. */
  sign(
    request: Required<Pick<S3Request, "method" | "key">> &
      Pick<S3Request, "query" | "headers"> & { expiresInSeconds: number },
  ): Promise<string>;
  close(): Promise<void>;
}

const ATTEMPTS = 4;
/** Doubled with each attempt, and of that a random part. */
const BACKOFF_MS = 200;
const CONNECT_TIMEOUT_MS = 5_000;
/** Until the status line: a store may check all bytes of an upload first. */
const HEADERS_TIMEOUT_MS = 30_000;
/** The longest silence in a stream. */
const SILENCE_MS = 60_000;
/** Of a request with a small answer, its body included. */
const CALL_TIMEOUT_MS = 2 * 60_000;
const CONNECTIONS = 64;
/** A page of a thousand keys has a third of this. */
const ANSWER_BYTES_MAX = 1024 * 1024;

const RETRIED_STATUSES = new Set([429, 500, 502, 503, 504]);
/** Two writers met: the store wants the later one to come again. */
const RETRIED_CODES = new Set(["ConditionalRequestConflict", "OperationAborted", "RequestTimeout"]);

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  isArray: (name) => name === "Contents" || name === "Upload",
});

const EXPLANATIONS: Readonly<Record<string, string>> = {
  AccessDenied: "its access key may not do this with the bucket",
  InvalidAccessKeyId: "it does not know the access key",
  NoSuchBucket: "it has no bucket of this name",
  PermanentRedirect: "the bucket is in another region, or at another endpoint",
  AuthorizationHeaderMalformed: "the region is not that of the bucket",
  RequestTimeTooSkewed: "the clock of this machine is wrong",
  SignatureDoesNotMatch: "the secret key is wrong",
};

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Follows names into a parsed document. @returns Undefined where one of them is not there. */
export function valueAt(document: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (value, name) => (isRecord(value) ? value[name] : undefined),
    document,
  );
}

/** The text at a place of a parsed document; empty where there is none. */
export function textAt(document: unknown, ...names: readonly string[]): string {
  const value = valueAt(document, ...names);
  return typeof value === "string" ? value : "";
}

function parseDocument(text: string): unknown {
  if (!text.trimStart().startsWith("<")) {
    return undefined;
  }
  try {
    return parser.parse(text);
  } catch {
    // An answer that is not understood says nothing beside its status.
    return undefined;
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) {
      throw new S3Error({ message: "The answer of the file store is too long." });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function toHeaders(headers: Dispatcher.ResponseData["headers"]): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : value,
    ]),
  );
}

function isWorthRetrying(error: unknown): boolean {
  return (
    !(error instanceof S3Error) ||
    RETRIED_STATUSES.has(error.status) ||
    RETRIED_CODES.has(error.code)
  );
}

/**
 * Makes a client of one bucket. Its address comes from the operator's configuration, so it may be in a private network; no
 * redirect is followed. What passes is tried again up to three times: no answer, 5xx, and 429 or `SlowDown`.
 *
 * @param deps.chance - A number from 0 to below 1, for the wait between two attempts.
 * @param deps.wait - Left out: the timer of the system.
 */
export function createS3Client(
  settings: S3Settings,
  deps: { clock: Clock; chance: () => number; wait?: (ms: number) => Promise<unknown> },
): S3Client {
  const { clock, chance, wait = delay } = deps;
  const agent = new Agent({
    connections: CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: HEADERS_TIMEOUT_MS,
    bodyTimeout: SILENCE_MS,
    maxHeaderSize: 16 * 1024,
  });

  function toUrl(endpoint: string, { key = "", query = {} }: Pick<S3Request, "key" | "query">) {
    const url = new URL(endpoint);
    if (settings.pathStyle) {
      url.pathname = `/${settings.bucket}/${key}`;
    } else {
      url.hostname = `${settings.bucket}.${url.hostname}`;
      url.pathname = `/${key}`;
    }
    url.search = new URLSearchParams(query).toString();
    return url.href;
  }

  async function send(sent: S3Request, timeoutMs?: number): Promise<Dispatcher.ResponseData> {
    const { method, headers = {}, body = "" } = sent;
    const url = toUrl(settings.endpoint, sent);
    const hash = createHash("sha256").update(body).digest("hex");
    const signed = await signS3Headers(settings, {
      ...{ method, url, now: clock.now() },
      headers: { ...headers, "x-amz-content-sha256": hash },
    });
    return await request(url, {
      dispatcher: agent,
      method,
      headers: { "user-agent": "turnpike", ...signed },
      body: body.length === 0 && method !== "PUT" && method !== "POST" ? null : body,
      ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
    });
  }

  function toError(status: number, document: unknown): S3Error {
    const code = textAt(document, "Error", "Code");
    const host = new URL(settings.endpoint).host;
    const why = EXPLANATIONS[code] ?? `${String(status)}${code === "" ? "" : ` (${code})`}`;
    return new S3Error({ message: `The file store ${host} refused: ${why}.`, status, code });
  }

  async function refuse({ statusCode, body }: Dispatcher.ResponseData): Promise<never> {
    throw toError(statusCode, parseDocument(await readBounded(body)));
  }

  async function persist<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (tried < ATTEMPTS && isWorthRetrying(error)) {
          await wait(chance() * BACKOFF_MS * 2 ** tried);
        } else if (error instanceof S3Error) {
          throw error;
        } else {
          const { host } = new URL(settings.endpoint);
          const message = `The file store ${host} cannot be reached, or did not answer in time.`;
          throw new S3Error({ message, cause: error });
        }
      }
    }
  }

  return {
    call: (asked) =>
      persist(async () => {
        const answer = await send(asked, CALL_TIMEOUT_MS);
        if (answer.statusCode < 200 || answer.statusCode > 299) {
          return await refuse(answer);
        }
        const document = parseDocument(await readBounded(answer.body));
        // The end of an upload in parts is answered before it is known, and may turn out to be an error.
        if (valueAt(document, "Error") !== undefined) {
          throw toError(500, document);
        }
        return { headers: toHeaders(answer.headers), document };
      }),
    open: (key, headers) =>
      persist(async () => {
        const answer = await send({ method: "GET", key, ...(headers && { headers }) });
        return answer.statusCode === 200 || answer.statusCode === 206
          ? { status: answer.statusCode, content: answer.body }
          : await refuse(answer);
      }),
    sign: ({ method, headers = {}, expiresInSeconds, ...place }) =>
      signS3Address(settings, {
        ...{ method, headers, expiresInSeconds },
        url: toUrl(settings.publicEndpoint, place),
        now: clock.now(),
      }),
    close: () => agent.destroy(),
  };
}
