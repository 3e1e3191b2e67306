import { connect, Socket } from "node:net";
import type { DatabaseHost } from "./primary-host.ts";

/** The part of the driver's options that says where the server is. */
export type SocketAddress = {
  host: readonly string[];
  port: readonly number[];
  /** Of a Unix socket; empty or false for TCP. */
  path?: string | false | undefined;
};

class ConnectionFailedError extends Error {
  override readonly name = "ConnectionFailedError";
  readonly code = "CONNECTION_CLOSED";
}

/**
 * Makes the sockets of one client: each configured host is tried once, and then the client is finished.
 *
 * Left to itself the driver (postgres 3.4.9) reconnects when a connection closes before the server has accepted it. If that
 * happens between "connected" and the first write, it never writes again and the caller waits for the connect timeout.
 */
export function createSocketFactory(): (address: SocketAddress) => Socket {
  let tried = 0;
  return ({ host, port, path }) => {
    const index = tried;
    tried += 1;
    const name = host[index];
    if (name === undefined) {
      throw new ConnectionFailedError("The server closed the connection before it was ready.");
    }
    return path === undefined || path === false || path === ""
      ? // The driver reads the host of a socket for TLS.
        Object.assign(connect({ host: name, port: port[index] ?? 5432 }), { host: name })
      : connect(path);
  };
}

/**
 * Makes sockets to the host that takes writes, connected when the driver gets them.
 *
 * @param isSingle - The client is finished after one socket, like those of {@link createSocketFactory}.
 */
export function createPrimarySocketFactory(
  find: () => Promise<DatabaseHost>,
  isSingle: boolean,
): () => Promise<Socket> {
  let isUsed = false;
  return async () => {
    if (isSingle && isUsed) {
      throw new ConnectionFailedError("The server closed the connection before it was ready.");
    }
    isUsed = true;
    return await openSocket(await find());
  };
}

async function openSocket({ host, port }: DatabaseHost): Promise<Socket> {
  const socket = connect({ host, port });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve();
    });
  });
  // The driver reads the host of a socket for TLS.
  return Object.assign(socket, { host });
}

/** A socket for a driver that names the host itself: it goes to the one that takes writes instead. */
export class PrimarySocket extends Socket {
  readonly #find: () => Promise<DatabaseHost>;

  constructor(find: () => Promise<DatabaseHost>) {
    super();
    this.#find = find;
  }

  override connect(): this {
    this.#find().then(
      ({ host, port }) => {
        if (!this.destroyed) {
          super.connect({ host, port });
        }
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }
}
