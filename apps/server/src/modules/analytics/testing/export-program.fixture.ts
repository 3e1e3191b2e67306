import { randomBytes } from "node:crypto";
import type { ConnectionTarget } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { openLocalFileStore } from "#modules/files/index.ts";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { openPostgresPool } from "#platform/postgres-pool.ts";
import { type WriteExportDeps, writeExport } from "../exports/write-export.ts";

/** Writes an export until it has so many chunks, says so, and waits to be killed in the middle of the next one. */
export async function writeInProgram(input: {
  target: ConnectionTarget;
  folder: string;
  ref: { tenantId: TenantId; exportId: string };
  chunksMax: number;
}): Promise<void> {
  const pool = openPostgresPool(input.target, { applicationName: "export", connectionsMax: 4 });
  const store = await openLocalFileStore(input.folder, systemClock.now());
  let puts = 0;
  let isMore = true;
  const deps: WriteExportDeps = {
    // The turns follow each other at once.
    jobs: {
      enqueue: async () => {
        isMore = true;
      },
    },
    transact: pool.transact,
    clock: systemClock,
    newId: newUuidId,
    logger: createLogger({ level: "silent" }),
    randomBytes: (count) => randomBytes(count),
    fileStore: {
      ...store,
      async put(fileId, content, options) {
        puts += 1;
        if (puts > input.chunksMax) {
          process.stdout.write(`${String(input.chunksMax)} chunks are written\n`);
          return await new Promise(() => undefined);
        }
        return await store.put(fileId, content, options);
      },
    },
  };
  while (isMore) {
    isMore = false;
    await writeExport(deps, input.ref, {
      isLast: false,
      signal: new AbortController().signal,
    });
  }
}
