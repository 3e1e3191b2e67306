import { type AddressInfo, createServer, type Socket } from "node:net";

type Behaviour = (socket: Socket, request: string) => void;

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

function every(socket: Socket, ms: number, write: () => void): void {
  const timer = setInterval(write, ms);
  socket.on("close", () => clearInterval(timer));
}

/** What an upstream may do to a gateway, by the path it is asked for: `GET /resets-before-answer`. */
const BEHAVIOURS = {
  answers: (socket) => socket.write(OK),
  /** Interim answers, then the real one. */
  "few-interim": (socket) =>
    socket.write(
      `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${OK}`,
    ),
  "interim-flood": (socket) =>
    every(socket, 1, () => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n")),
  "slow-interim-flood": (socket) =>
    every(socket, 20, () => socket.write("HTTP/1.1 102 Processing\r\n\r\n")),
  "unasked-continue": (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}`),
  "unasked-upgrade": (socket) =>
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello",
    ),
  /** An unrequested second answer, right behind the first. */
  "extra-response": (socket) =>
    socket.write(`${OK}HTTP/1.1 200 OK\r\nX-Smuggled: 1\r\nContent-Length: 8\r\n\r\nsmuggled`),
  "splits-response": (socket) =>
    socket.write("HTTP/1.1 200 OK\r\nX-A: 1\rX-B: 2\nX-C: 3\r\n\r\nContent-Length: 2\r\n\r\nok"),
  "two-lengths": (socket) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\nokok"),
  "length-and-chunked": (socket) =>
    socket.write(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ),
  "body-too-short": (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"),
  "body-too-long": (socket) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more"),
  "chunks-cut-off": (socket) =>
    socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
  "huge-headers": (socket) =>
    socket.write(
      `HTTP/1.1 200 OK\r\nX-Huge: ${"a".repeat(200_000)}\r\nContent-Length: 2\r\n\r\nok`,
    ),
  "not-http": (socket) => socket.write("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"),
  "resets-before-answer": (socket) => socket.resetAndDestroy(),
  "closes-before-answer": (socket) => socket.end(),
  "resets-in-head": (socket) =>
    socket.write("HTTP/1.1 200 OK\r\nContent-Le", () => socket.resetAndDestroy()),
  "resets-in-body": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
    setTimeout(() => socket.resetAndDestroy(), 50);
  },
  "never-answers": () => undefined,
  "stalls-in-body": (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"),
  /** A body that goes on for ever, as fast as it is read. */
  "never-ends": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const piece = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const fill = (): void => {
      while (socket.writable && socket.write(piece)) {
        // Until the socket's buffer is full.
      }
    };
    socket.on("drain", fill);
    fill();
  },
  "slow-body": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    let sent = 0;
    every(socket, 20, () => {
      if (sent < 5) {
        socket.write("hello".charAt(sent));
        sent += 1;
      }
    });
  },
  /** Answers as soon as it has the head, before the body. */
  "early-answer": (socket) => socket.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"),
  "length-with-204": (socket) =>
    socket.write("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"),
  "speaks-for-gateway": (socket) =>
    socket.write(
      "HTTP/1.1 200 OK\r\nX-Turnpike-Tenant: ten_forged\r\nx-turnpike-cost: 3\r\nConnection: X-Secret\r\nX-Secret: 1\r\nProxy-Authenticate: Basic\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\n\r\nok",
    ),
  trailers: (socket) =>
    socket.write(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Checksum: abc\r\nSet-Cookie: evil=1\r\n\r\n",
    ),
} as const satisfies Record<string, Behaviour>;

export type EvilBehaviour = keyof typeof BEHAVIOURS;

export type EvilUpstream = {
  port: number;
  url: string;
  /** Heads of the requests that came, as text. */
  requests: string[];
  /** Connections that are open now. */
  openConnections(): number;
  close(): Promise<void>;
};

/** Starts a server that speaks bytes, not HTTP, and misbehaves as the path says. */
export async function startEvilUpstream(): Promise<EvilUpstream> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    let received = "";
    let bodyBytesLeft = 0;
    socket.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      const skipped = Math.min(bodyBytesLeft, text.length);
      bodyBytesLeft -= skipped;
      received += text.slice(skipped);
      let headEnd = received.indexOf("\r\n\r\n");
      while (headEnd >= 0) {
        const head = received.slice(0, headEnd);
        received = received.slice(headEnd + 4);
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
        bodyBytesLeft = Math.max(0, length - received.length);
        received = received.slice(length);
        requests.push(head);
        const name = /^\S+ \/([a-z0-9-]*)/.exec(head)?.[1] ?? "";
        if (!Object.hasOwn(BEHAVIOURS, name)) {
          throw new Error(`No such behaviour: ${name}`);
        }
        const behave: Behaviour = BEHAVIOURS[name as EvilBehaviour];
        behave(socket, head);
        headEnd = received.indexOf("\r\n\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    openConnections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}
