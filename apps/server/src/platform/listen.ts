import { randomInt } from "node:crypto";
import { once } from "node:events";
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:net";
import { StartupError } from "./startup-error.ts";

export type ListenAddress = {
  port: number;
  host: string;
  /** The environment variable that sets the port, for the way out. */
  variable: string;
  /** Whether several threads listen on it, among which the system spreads connections. */
  reusePort?: boolean;
};

/** Names the way out when a port cannot be had; any other error stays as it is. */
export function toPortError(error: unknown, address: ListenAddress): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new StartupError({
        code: "PORT_TAKEN",
        message: `Port ${String(address.port)} is taken by another program`,
        hint: `Set ${address.variable} to a free port, or stop the other program`,
        cause: error,
      });
    case "EACCES":
      return new StartupError({
        code: "PORT_TAKEN",
        message: `Port ${String(address.port)} may not be used by this user`,
        hint: `Set ${address.variable} to a port above 1023`,
        cause: error,
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new StartupError({
        code: "PORT_TAKEN",
        message: `This machine has no address ${address.host}`,
        hint: "Set listen.host in turnpike.yaml to one of its own, or to 127.0.0.1",
        cause: error,
      });
    default:
      return error;
  }
}

/** Listens. @throws {StartupError} `PORT_TAKEN`. */
export async function listen(server: Server, address: ListenAddress): Promise<void> {
  try {
    const { port, host, reusePort = false } = address;
    server.listen({ port, host, reusePort });
    await once(server, "listening");
  } catch (error) {
    throw toPortError(error, address);
  }
}

/**
 * Below the ports that systems use for outgoing connections by default (from 32768 on Linux, 49152
 * elsewhere): one of those can be taken by any connection of the machine, also by one of our own to the database, between being
 * found and being listened on. Above 10080, the last one that browsers refuse.
 *
 * @see https://fetch.spec.whatwg.org/#port-blocking
 */
const FREE_PORT_MIN = 10_100;
const FREE_PORT_END = 32_000;
const FREE_PORT_TRIES = 100;

/** The port is in use, or reserved by the system. */
function isTakenByAnother(error: unknown): boolean {
  const cause = error instanceof StartupError ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "EADDRINUSE" || code === "EACCES";
}

/**
 * Finds out, before anything slow is started, whether a port is free, and which one 0 becomes.
 *
 * @throws {StartupError} `PORT_TAKEN`.
 */
export async function probePort(
  address: ListenAddress,
  drawPort: () => number = () => randomInt(FREE_PORT_MIN, FREE_PORT_END),
): Promise<number> {
  // Where ports can be shared, only the system knows which ones are free.
  if (address.port !== 0 || address.reusePort === true) {
    return bindOnce(address);
  }
  for (let tries = 0; tries < FREE_PORT_TRIES; tries += 1) {
    try {
      return await bindOnce({ ...address, port: drawPort() });
    } catch (error) {
      if (!isTakenByAnother(error)) {
        throw error;
      }
    }
  }
  return bindOnce(address);
}

async function bindOnce(address: ListenAddress): Promise<number> {
  const probe = createServer();
  await listen(probe, address);
  const bound = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof bound === "object" && bound !== null ? bound.port : address.port;
}

/** What does not let go of its connection even then, such as one that was refused as a tunnel and never read its answer. */
const STRAGGLERS_MS = 500;

/**
 * Ends a listener: it takes no new connections, what is under way may finish for `graceMs`, and an answer given meanwhile is
 * the last one on its connection. Resolves soon after at the latest, also when clients do not leave.
 */
export function closeServer(server: HttpServer, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timers = [
      setTimeout(() => server.closeAllConnections(), graceMs),
      setTimeout(resolve, graceMs + STRAGGLERS_MS),
    ];
    // A busy client would keep its connection until it is cut, in the middle of a call.
    server.prependListener("request", (_req: IncomingMessage, res: ServerResponse) => {
      res.shouldKeepAlive = false;
    });
    server.close(() => {
      timers.forEach(clearTimeout);
      resolve();
    });
    server.closeIdleConnections();
  });
}
