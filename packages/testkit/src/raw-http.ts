import { connect, type Socket } from "node:net";

/** One answer as it came over the wire. */
export type RawResponse = {
  status: number;
  reason: string;
  /** Names in lower case, values in order. */
  headers: Map<string, string[]>;
  /** Body without framing. */
  body: Buffer;
  trailers: Map<string, string[]>;
};

export type RawConnection = {
  socket: Socket;
  /** Bytes as given; strings are Latin-1, so that every byte value can be written. */
  write(bytes: string | Buffer): void;
  /** Reads the next answer. Rejects when the connection ends inside it or nothing more comes within `timeoutMs`. */
  readResponse(options?: { method?: string; timeoutMs?: number }): Promise<RawResponse>;
  /** Waits until `text` has arrived, and gives everything that did and was not read yet. */
  readUntil(text: string, timeoutMs?: number): Promise<string>;
  /** Waits for the other side to close, and gives what arrived and was not read yet. */
  readToEnd(timeoutMs?: number): Promise<{ bytes: Buffer; wasReset: boolean }>;
  destroy(): void;
};

/** Ends a test that hangs. A busy machine is slow, not wrong. */
const TIMEOUT_MS = 120_000;

/** Opens a connection that sends and receives bytes without any HTTP library in between. */
export async function openRawConnection(port: number, host = "127.0.0.1"): Promise<RawConnection> {
  const socket = connect({ port, host, noDelay: true });
  let received = Buffer.alloc(0);
  let chunks: Buffer[] = [];
  let isEnded = false;
  let wasReset = false;
  let wake = (): void => undefined;
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    wake();
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    wasReset ||= error.code === "ECONNRESET" || error.code === "EPIPE";
  });
  socket.on("close", () => {
    isEnded = true;
    wake();
  });
  socket.on("end", () => {
    isEnded = true;
    wake();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });

  /** Puts what has arrived together: for each question, not for each chunk of a large answer. */
  function gather(): void {
    if (chunks.length > 0) {
      received = Buffer.concat([received, ...chunks]);
      chunks = [];
    }
  }

  async function waitFor<T>(
    read: () => T | undefined,
    timeoutMs: number,
    what: string,
  ): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      gather();
      const value = read();
      if (value !== undefined) {
        return value;
      }
      const left = deadline - performance.now();
      if (left <= 0) {
        throw new Error(
          `Waited ${timeoutMs} ms for ${what}; have ${JSON.stringify(received.toString("latin1").slice(0, 500))}`,
        );
      }
      if (isEnded) {
        throw new Error(
          `Connection ended before ${what}; have ${JSON.stringify(received.toString("latin1").slice(0, 500))}`,
        );
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  return {
    socket,
    write: (bytes) => void socket.write(bytes, "latin1"),
    readResponse: ({ method = "GET", timeoutMs = TIMEOUT_MS } = {}) =>
      waitFor(
        () => {
          const parsed = parseResponse({ bytes: received, method, isEnded });
          if (parsed === undefined) {
            return undefined;
          }
          received = received.subarray(parsed.length);
          return parsed.response;
        },
        timeoutMs,
        "a whole response",
      ),
    readUntil: (text, timeoutMs = TIMEOUT_MS) =>
      waitFor(
        () => {
          const all = received.toString("latin1");
          if (!all.includes(text)) {
            return undefined;
          }
          received = Buffer.alloc(0);
          return all;
        },
        timeoutMs,
        JSON.stringify(text),
      ),
    readToEnd: async (timeoutMs = TIMEOUT_MS) => {
      await waitFor(() => isEnded || undefined, timeoutMs, "the end of the connection");
      return { bytes: received, wasReset };
    },
    destroy: () => void socket.destroy(),
  };
}

/** Sends bytes on a new connection and reads one answer. */
export async function sendRaw(input: {
  port: number;
  bytes: string | Buffer;
  method?: string;
}): Promise<RawResponse> {
  const connection = await openRawConnection(input.port);
  try {
    connection.write(input.bytes);
    return await connection.readResponse(
      input.method === undefined ? {} : { method: input.method },
    );
  } finally {
    connection.destroy();
  }
}

type ParseInput = { bytes: Buffer; method: string; isEnded: boolean };

/** Parses one answer from the start of `bytes`; `undefined` when it is not whole yet. Interim answers are skipped. */
function parseResponse(input: ParseInput): { response: RawResponse; length: number } | undefined {
  const { bytes } = input;
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) {
    return undefined;
  }
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const match = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/.exec(statusLine);
  if (match === null) {
    throw new Error(`Not a status line: ${JSON.stringify(statusLine)}`);
  }
  const status = Number(match[1]);
  const bodyStart = headEnd + 4;
  if (status < 200 && status !== 101) {
    const next = parseResponse({ ...input, bytes: bytes.subarray(bodyStart) });
    return next === undefined
      ? undefined
      : { response: next.response, length: next.length + bodyStart };
  }
  const headers = parseHeaderLines(lines);
  const body = parseBody({ ...input, status, headers, bodyStart });
  return body === undefined
    ? undefined
    : {
        response: {
          status,
          reason: match[2] ?? "",
          headers,
          body: body.body,
          trailers: body.trailers,
        },
        length: body.end,
      };
}

function parseBody(
  input: ParseInput & { status: number; headers: Map<string, string[]>; bodyStart: number },
): { body: Buffer; trailers: Map<string, string[]>; end: number } | undefined {
  const { bytes, method, isEnded, status, headers, bodyStart } = input;
  const trailers = new Map<string, string[]>();
  if (method === "HEAD" || status === 204 || status === 304 || status === 101) {
    return { body: Buffer.alloc(0), trailers, end: bodyStart };
  }
  if (headers.get("transfer-encoding")?.[0] === "chunked") {
    return parseChunks(bytes, bodyStart);
  }
  const length = headers.get("content-length")?.[0];
  if (length !== undefined) {
    const end = bodyStart + Number(length);
    return bytes.length < end ? undefined : { body: bytes.subarray(bodyStart, end), trailers, end };
  }
  return isEnded ? { body: bytes.subarray(bodyStart), trailers, end: bytes.length } : undefined;
}

function parseChunks(bytes: Buffer, start: number) {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) {
      return undefined;
    }
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) {
      throw new Error("Not a chunk size");
    }
    if (size === 0) {
      const trailerEnd = bytes.indexOf("\r\n\r\n", lineEnd);
      if (trailerEnd < 0) {
        return undefined;
      }
      const trailers = parseHeaderLines(
        bytes
          .toString("latin1", lineEnd + 2, trailerEnd)
          .split("\r\n")
          .filter(Boolean),
      );
      return { body: Buffer.concat(parts), trailers, end: trailerEnd + 4 };
    }
    const dataEnd = lineEnd + 2 + size;
    if (bytes.length < dataEnd + 2) {
      return undefined;
    }
    parts.push(bytes.subarray(lineEnd + 2, dataEnd));
    at = dataEnd + 2;
  }
}

function parseHeaderLines(lines: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return headers;
}
