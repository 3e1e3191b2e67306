import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What the network does to each direction of a connection. Absent: nothing. */
export type Faults = {
  /** Holds every piece back by this long. */
  delayMs?: number;
  /** Holds every piece back until it resolves. */
  hold?: Promise<void>;
  /** Swallows everything: sent, never delivered. */
  drop?: boolean;
  /** Resets both sides once this many bytes have passed in either direction. */
  resetAfterBytes?: number;
  /** Delivers no faster than this. */
  bytesPerSecond?: number;
  /** Delivers in pieces of at most this many bytes, each in a write of its own. */
  splitBytes?: number;
  /** Accepts and never connects on: the peer sees an open connection without an answer. */
  halfOpen?: boolean;
};

export type FaultProxy = {
  port: number;
  url: string;
  /** Where new connections go: a port of loopback, or the path of a Unix socket. May be changed at any time. */
  targetPort: number | string;
  /** May be changed at any time; holds for what passes from then on. */
  faults: Faults;
  openConnections(): number;
  /** Resets every open connection, as a firewall that lost its table does. */
  resetAll(): void;
  /** Ends every open connection in order, as a program that stops does. */
  endAll(): void;
  close(): Promise<void>;
};

/** Starts a TCP proxy on loopback that fails the way networks do; `tc netem` is not to be had in containers. */
export async function startFaultProxy(
  targetPort: number | string,
  initial: Faults = {},
): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const proxy: FaultProxy = {
    port: 0,
    url: "",
    targetPort,
    faults: initial,
    openConnections: () => sockets.size,
    resetAll: () => sockets.forEach(reset),
    endAll: () => sockets.forEach((socket) => void socket.destroy()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        sockets.forEach((socket) => void socket.destroy());
      }),
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    track(client);
    if (proxy.faults.halfOpen === true) {
      return;
    }
    const { targetPort } = proxy;
    const target = connect({
      ...(typeof targetPort === "string"
        ? { path: targetPort }
        : { port: targetPort, host: "127.0.0.1" }),
      allowHalfOpen: true,
      noDelay: true,
    });
    track(target);
    client.on("close", () => target.destroySoon());
    target.on("close", () => client.destroySoon());
    const passed = { bytes: 0 };
    carry({ from: client, to: target, proxy, passed });
    carry({ from: target, to: client, proxy, passed });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.port = (server.address() as AddressInfo).port;
  proxy.url = `http://127.0.0.1:${proxy.port}`;
  return proxy;
}

/** Unix sockets know no reset: they are just closed. */
function reset(socket: Socket): void {
  if (socket.remoteAddress === undefined) {
    socket.destroy();
  } else {
    socket.resetAndDestroy();
  }
}

/** Moves bytes in one direction, one piece after the other, so that faults cannot reorder them. */
function carry(input: {
  from: Socket;
  to: Socket;
  proxy: FaultProxy;
  passed: { bytes: number };
}): void {
  const { from, to, proxy, passed } = input;
  const move = async (): Promise<void> => {
    for await (const chunk of from) {
      const piece = chunk as Buffer;
      const { delayMs, drop, bytesPerSecond, splitBytes, resetAfterBytes, hold } = proxy.faults;
      if (drop === true) {
        continue;
      }
      await hold;
      const waitMs =
        (delayMs ?? 0) +
        (bytesPerSecond === undefined ? 0 : (piece.length / bytesPerSecond) * 1000);
      if (waitMs > 0) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
      passed.bytes += piece.length;
      if (resetAfterBytes !== undefined && passed.bytes >= resetAfterBytes) {
        reset(from);
        reset(to);
        return;
      }
      const step = splitBytes ?? piece.length;
      for (let at = 0; at < piece.length; at += step) {
        await writeAll(to, piece.subarray(at, at + step));
      }
    }
    to.end();
  };
  // A broken side ends the loop with its error; closing the other side is all there is to do.
  move().catch(() => to.destroy());
}

function writeAll(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) =>
      error === null || error === undefined ? resolve() : reject(error),
    );
  });
}
