import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The host name under which the gateway passes calls on to the stub. Names below `localhost` never leave the machine. */
export const REPLAY_HOST = "replay.turnpike.localhost";

/** What a replayed call asks of the stub, and the mark of its answers. */
export const REPLAY_HEADERS = {
  /** Status to answer with, 200 to 599. */
  status: "x-replay-status",
  /** Size of the body to answer with. */
  bytes: "x-replay-bytes",
  /** On every answer: it is the stub's and no other upstream's. */
  stub: "x-replay-stub",
} as const;

/** The largest body the stub makes: larger files are rare in access logs, and one call must not run for ever. */
export const REPLAY_BYTES_MAX = 1024 ** 3;

export type ReplayStub = {
  port: number;
  /** Calls answered so far. */
  answered(): number;
  close(): Promise<void>;
};

const CHUNK = Buffer.alloc(64 * 1024, "replay ");
const MARK = { [REPLAY_HEADERS.stub]: "1" };

function readWhole(req: IncomingMessage, name: string, bounds: { min: number; max: number }) {
  const value = req.headers[name];
  if (typeof value !== "string" || !/^\d{1,10}$/.test(value)) {
    return;
  }
  const number = Number(value);
  return number >= bounds.min && number <= bounds.max ? number : undefined;
}

function sendBody(res: ServerResponse, bytes: number): void {
  let left = bytes;
  const pump = (): void => {
    while (left > 0) {
      const chunk = left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
      left -= chunk.length;
      if (!res.write(chunk) && left > 0) {
        res.once("drain", pump);
        return;
      }
    }
    res.end();
  };
  pump();
}

/**
 * Answers as the headers of the call ask. An answer to HEAD, and one with status 204 or 304, has no body, also when a size is
 * asked for.
 */
function answer(req: IncomingMessage, res: ServerResponse): void {
  if (req.method === "OPTIONS" && req.headers["access-control-request-method"] !== undefined) {
    // A preflight passes the gateway without a key: it may learn that the stub is there, and no more.
    res.writeHead(204, MARK).end();
    return;
  }
  const status = readWhole(req, REPLAY_HEADERS.status, { min: 200, max: 599 });
  const bytes = readWhole(req, REPLAY_HEADERS.bytes, { min: 0, max: REPLAY_BYTES_MAX });
  if (status === undefined || bytes === undefined) {
    const text = `Send ${REPLAY_HEADERS.status} (200 to 599) and ${REPLAY_HEADERS.bytes} (0 to ${String(REPLAY_BYTES_MAX)}).\n`;
    res.writeHead(400, { ...MARK, "content-type": "text/plain" }).end(text);
    return;
  }
  if (req.method === "HEAD" || status === 204 || status === 304) {
    res.writeHead(status, MARK).end();
    return;
  }
  res.writeHead(status, {
    ...MARK,
    "content-type": "application/octet-stream",
    "content-length": bytes,
  });
  sendBody(res, bytes);
}

/**
 * Starts the upstream that `npm run replay` sends an access log to.
 *
 * @param options.port - 0 takes any free port.
 * @throws The system's error when the port is taken.
 */
export async function startReplayStub(options: {
  port: number;
  host: string;
}): Promise<ReplayStub> {
  let answered = 0;
  const server = createServer((req, res) => {
    answered += 1;
    req.resume();
    answer(req, res);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    answered: () => answered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
