import { randomBytes } from "node:crypto";
import type { ConnectionTarget } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { type FileStoreSettings, openFileStore } from "#modules/files/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemClock } from "#platform/clock.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { openPostgresPool } from "#platform/postgres-pool.ts";
import { type WriteExportDeps, writeExport } from "../exports/write-export.ts";

/**
 * Writes an export as another process would.
 *
 * @param input.chunksMax - Once it has so many chunks, it says so and waits to be killed in the middle of the next one. Left out: it
 *   writes all of them.
 */
export async function writeInProgram(input: {
  target: ConnectionTarget;
  files: FileStoreSettings;
  ref: { tenantId: TenantId; exportId: string };
  chunksMax?: number;
}): Promise<void> {
  const { chunksMax = Number.POSITIVE_INFINITY } = input;
  const pool = openPostgresPool(input.target, { applicationName: "export", connectionsMax: 4 });
  const services: AppServices = {
    transact: pool.transact,
    clock: systemClock,
    newId: newUuidId,
    logger: createLogger({ level: "silent" }),
    randomBytes: (count) => randomBytes(count),
  };
  const { fileStore, close } = await openFileStore(input.files, services);
  let puts = 0;
  let isMore = true;
  const deps: WriteExportDeps = {
    ...services,
    // The turns follow each other at once.
    jobs: {
      enqueue: async () => {
        isMore = true;
      },
    },
    fileStore: {
      ...fileStore,
      async put(fileId, content, options) {
        puts += 1;
        if (puts > chunksMax) {
          process.stdout.write(`${String(chunksMax)} chunks are written\n`);
          return await new Promise(() => undefined);
        }
        return await fileStore.put(fileId, content, options);
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
  await close();
  await pool.close();
}
