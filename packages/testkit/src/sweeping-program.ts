import type { ConnectionTarget } from "@turnpike/db/client";
import { openLocalFileStore } from "../../../apps/server/src/modules/files/local-file-store.ts";
import { sweepFiles } from "../../../apps/server/src/modules/files/sweep-files.ts";
import { createLogger } from "../../../apps/server/src/platform/logger.ts";
import { openPostgresPool } from "../../../apps/server/src/platform/postgres-pool.ts";
import { endWithParent } from "./fork-program.ts";

export type SweepingSettings = {
  target: ConnectionTarget;
  /** Of the file store. */
  folder: string;
  /** The time of the sweep, in milliseconds since 1970. */
  atMs: number;
};

/** Sweeps a file store once, says so after each file that it deletes, and ends. Started by its name. */
async function main({ target, folder, atMs }: SweepingSettings): Promise<void> {
  const pool = openPostgresPool(target, { applicationName: "sweeping", connectionsMax: 1 });
  const store = await openLocalFileStore(folder, new Date(atMs));
  await sweepFiles(
    {
      transact: pool.transact,
      clock: { now: () => new Date(atMs), monotonicMs: () => performance.now() },
      logger: createLogger({ level: "error", destination: process.stderr }),
      fileOwners: [],
      fileStore: {
        ...store,
        async delete(fileId) {
          await store.delete(fileId);
          process.send?.("deleted");
        },
      },
    },
    { signal: AbortSignal.any([]) },
  );
  await pool.close();
  process.disconnect();
}

endWithParent();
process.once("message", (settings) => main(settings as SweepingSettings));
