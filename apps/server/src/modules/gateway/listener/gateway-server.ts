import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { DueAnswers } from "#http/due-answers.ts";
import { serveWithoutUpgrade } from "#http/serve-without-upgrade.ts";
import { closeServer } from "#platform/listen.ts";
import { createRawResponse, type RawConnection } from "../proxy/raw-response.ts";
import { hasRequestBody } from "../proxy/request-body.ts";

export type GatewayServerOptions = {
  /** Open connections at once; further ones are refused by the system. Default 10,000: about 20 kB each. */
  maxConnections?: number | undefined;
  /** Time for the head of a request to arrive. Default 10 s: a head fits in a few packets. */
  headersTimeoutMs?: number | undefined;
  /** Longer than the 60 s of common load balancers, so that they close idle connections first. Default 65 s. */
  keepAliveTimeoutMs?: number | undefined;
  /** True where other cells forward calls here: their heads are larger than those of clients. */
  takesForwarded?: boolean | undefined;
  /** Every request with a parsed head, gate not yet passed. Must answer through `res`. */
  onCall: (req: IncomingMessage, res: ServerResponse) => void;
  /** Requests that offer WebSocket, gate not yet passed. Must answer through `res`, or detach it and use the socket. */
  onUpgrade: (req: IncomingMessage, res: ServerResponse, raw: RawConnection) => void;
};

export type GatewayServer = {
  server: Server;
  /** Starts to listen. Port 0 takes any free one. Rejects with the system's error when the port is taken. */
  listen(address: { port: number; host: string; reusePort?: boolean }): Promise<AddressInfo>;
  /** Stops accepting, lets answers under way finish for at most `graceMs`, then closes every connection. */
  close(graceMs: number): Promise<void>;
};

/** Node's parser counts the request line in; beyond this it answers 431 itself, below it the gate does. */
const PARSER_HEAD_BYTES_MAX = 32 * 1024;
const PARSER_FORWARDED_BYTES_MAX = 96 * 1024;
/** After an early answer so much of the body is still read, so that the client gets to read the answer. */
const DRAIN_BYTES_MAX = 256 * 1024;
const DRAIN_MS_MAX = 1000;

/**
 * Makes the listener for programs, with the limits of a server that strangers reach. `requestTimeout` is off because
 * uploads may be long: the body has its own idle and rate timers in request-body.ts.
 */
export function createGatewayServer(options: GatewayServerOptions): GatewayServer {
  const due = new DueAnswers();
  const server = createServer({
    headersTimeout: options.headersTimeoutMs ?? 10_000,
    requestTimeout: 0,
    connectionsCheckingInterval: 2000,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 65_000,
    maxHeaderSize:
      options.takesForwarded === true ? PARSER_FORWARDED_BYTES_MAX : PARSER_HEAD_BYTES_MAX,
    noDelay: true,
    // The request gate checks it, so that the refusal waits for its turn like every answer.
    requireHostHeader: false,
    shouldUpgradeCallback: due.mayUpgrade,
  });
  server.maxConnections = options.maxConnections ?? 10_000;

  /** Makes an answer for a connection that Node has handed over. `undefined` while another answer is due on it: then it is closed. */
  function takeOver(req: IncomingMessage, socket: Socket): ServerResponse | undefined {
    socket.on("error", () => undefined);
    if (due.has(socket)) {
      socket.destroy();
      return undefined;
    }
    return createRawResponse(req, socket);
  }

  function take(req: IncomingMessage, res: ServerResponse): void {
    if (!due.add(res)) {
      return;
    }
    if (hasRequestBody(req)) {
      res.once("finish", () => drainRest(req));
    }
    options.onCall(req, res);
  }

  server.on("request", take);
  server.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => {
    // Refused before 100 Continue, the client may or may not send its body: the connection cannot be used again.
    // RequestBody takes this back when it asks for the body.
    res.shouldKeepAlive = false;
    take(req, res);
  });
  server.on("checkExpectation", take);
  server.on("connect", (req: IncomingMessage, socket: Socket) => {
    const res = takeOver(req, socket);
    if (res !== undefined) {
      options.onCall(req, res);
    }
  });
  server.on("upgrade", (req: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!offersWebSocket(req)) {
      serveWithoutUpgrade(server, { req, socket, head });
      return;
    }
    const res = takeOver(req, socket);
    if (res !== undefined) {
      options.onUpgrade(req, res, { socket, head });
    }
  });
  server.on("clientError", due.onClientError);

  return {
    server,
    listen({ port, host, reusePort = false }) {
      return new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ port, host, reusePort }, () => {
          server.off("error", reject);
          const address = server.address();
          if (address === null || typeof address === "string") {
            reject(new Error("The gateway listens on a pipe, not on a port"));
          } else {
            resolve(address);
          }
        });
      });
    },
    close: (graceMs) => closeServer(server, graceMs),
  };
}

/** True for a handshake of RFC 6455, among whose offers may be other protocols. */
function offersWebSocket(req: IncomingMessage): boolean {
  const { upgrade } = req.headers;
  return (
    upgrade !== undefined &&
    /(?:^|,)\s*websocket\s*(?:,|$)/i.test(upgrade) &&
    req.method === "GET" &&
    req.httpVersion === "1.1" &&
    !hasRequestBody(req)
  );
}

/**
 * After an early answer: takes in the rest of the body when it is small, so that the connection stays usable and the
 * answer is not lost to a reset; drops the connection when it is not.
 */
function drainRest(req: IncomingMessage): void {
  if (req.complete) {
    return;
  }
  const { socket } = req;
  const timer = setTimeout(() => socket.destroy(), DRAIN_MS_MAX);
  const stop = (): void => clearTimeout(timer);
  let bytes = 0;
  req.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DRAIN_BYTES_MAX) {
      socket.destroy();
    }
  });
  req.once("end", stop);
  req.once("close", stop);
  req.resume();
}
