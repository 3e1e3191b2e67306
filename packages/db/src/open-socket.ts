import { connect, type Socket } from "node:net";

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
