import type { Server } from "node:http";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../apps/server/src/platform/embedded-postgres.ts";
import { createLogger } from "../../apps/server/src/platform/logger.ts";

type Peer = {
  server: Server;
  keys: string[];
  countClaimed(): Promise<number>;
  close(): Promise<void>;
};
type PeerModule = {
  createPeer(input: { connection: object; keys: number }): Promise<Peer>;
};

/**
 * better-auth's API-key plugin with a PostgreSQL of its own: the product's own programs and settings, on an empty folder.
 * Both end with this process. Arguments: the folder, the number of keys.
 *
 * The first message is the port. `keys` is answered by the keys, `claimed` by how many calls the database has counted.
 */
const [folder = "", keys = "0"] = process.argv.slice(2);
const database = await startEmbeddedPostgres({ folder, logger: createLogger({ level: "warn" }) });

let isStopping = false;

async function stop(peer?: Peer): Promise<void> {
  if (isStopping) {
    return;
  }
  isStopping = true;
  peer?.server.closeAllConnections();
  await peer?.close();
  await database.stop();
  process.exit(0);
}

try {
  // By a path that is computed: what is installed on demand is no dependency of ours.
  const path = join(import.meta.dirname, "../peers/better-auth/server.mjs");
  const { createPeer } = (await import(path)) as PeerModule;
  const { connection } = database;
  const peer = await createPeer({ connection, keys: Number(keys) });
  process.once("SIGTERM", () => void stop(peer));
  process.once("disconnect", () => void stop(peer));
  process.on("message", (question) => {
    if (question === "keys") {
      process.send?.(peer.keys);
    } else {
      peer.countClaimed().then(
        (claimed) => process.send?.(claimed),
        (error: unknown) => process.send?.(String(error)),
      );
    }
  });
  peer.server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 }, () => {
    const address = peer.server.address();
    process.send?.(typeof address === "object" ? address?.port : undefined);
  });
} catch (error) {
  console.error(error);
  await stop();
}
