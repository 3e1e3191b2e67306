import type { Server, Socket } from "node:net";
import { toCanonicalAddress } from "./client-address.ts";
import type { Logger } from "./logger.ts";

export type ConnectionLimits = {
  /** Names the listener in the log. */
  listener: string;
  /** Open connections at once, of everybody together. */
  totalMax: number;
  /** Open connections at once of one address, or of one /64 of IPv6. */
  perAddressMax: number;
  /** Canonical addresses that this limit does not apply to. */
  isExempt: (address: string) => boolean;
  /** What the log says of the network of an address. */
  show: (address: string) => string;
  logger: Logger;
};

/** A flood is worth a line a minute, not one for each connection. */
const QUIET_MS = 60_000;

/** Loopback: a program on this machine can do harm in other ways, and a proxy on it carries everyone's connections. */
export function isOwnAddress(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

/** What connections are counted by: the owner of one IPv6 address usually has its whole /64. */
export function toCountedNetwork(address: string): string {
  if (!address.includes(":")) {
    return address;
  }
  const [head = "", tail] = address.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return `${[...first, ...Array<string>(zeros).fill("0"), ...last].slice(0, 4).join(":")}::/64`;
}

/** Calls at once, then not again before {@link QUIET_MS} have passed. */
function createQuietLog(write: (fields: object, count: number) => void) {
  let isQuiet = false;
  let since = 0;
  return (fields: object): void => {
    since += 1;
    if (!isQuiet) {
      isQuiet = true;
      write(fields, since);
      since = 0;
      setTimeout(() => {
        isQuiet = false;
      }, QUIET_MS).unref();
    }
  };
}

/**
 * Bounds the connections of a listener. One too many is closed as soon as it is there, before a byte of it is read: to answer
 * it would cost what the bound is to save. A failure to accept one, as when the process has no file left to open, ends neither
 * the listener nor the process.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { listener, totalMax, perAddressMax, isExempt, show, logger } = limits;
  const open = new Map<string, number>();
  const tellFull = createQuietLog((fields, count) =>
    logger.warn({ listener, ...fields, count }, "Connections are refused: all are taken"),
  );
  const tellGreedy = createQuietLog((fields, count) =>
    logger.warn({ listener, ...fields, count }, "Connections of one address are refused"),
  );
  const tellFailed = createQuietLog((fields, count) =>
    logger.error({ listener, ...fields, count }, "A connection could not be accepted"),
  );

  function admit(socket: Socket): void {
    const address = toCanonicalAddress(socket.remoteAddress ?? "");
    if (address === undefined || isExempt(address)) {
      return;
    }
    const network = toCountedNetwork(address);
    const count = (open.get(network) ?? 0) + 1;
    if (count > perAddressMax) {
      tellGreedy({ network: show(address), perAddressMax });
      socket.resetAndDestroy();
      return;
    }
    open.set(network, count);
    socket.once("close", () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) {
        open.delete(network);
      } else {
        open.set(network, left);
      }
    });
  }

  server.maxConnections = totalMax;
  // Before Node's own listener, which would read from it.
  server.prependListener("connection", admit);
  server.on("drop", () => tellFull({ totalMax }));
  server.on("error", (error: Error) => {
    // Errors before it listens reach the caller of `listen`.
    if (server.listening) {
      tellFailed({ err: error });
    }
  });
}
