import { text } from "node:stream/consumers";
import { said } from "@turnpike/domain/text/said";
import { type FileStore, openFileStore } from "#modules/files/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { Config } from "../config.ts";
import { toFileSettings } from "../to-file-settings.ts";
import { type Finding, ok } from "./check.ts";

const PLACES = {
  disk: said("in the data folder"),
  postgres: said("in the database"),
  s3: said("in a bucket"),
} as const;
const PROBE = "turnpike";

async function* once(content: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(content));
}

async function readText(store: FileStore, fileId: string): Promise<string | undefined> {
  const content = await store.open(fileId);
  return content && (await text(content));
}

/** Writes a few bytes, reads them and deletes them. @throws when any of it fails. */
async function probe(store: FileStore, fileId: string): Promise<void> {
  try {
    await store.put(fileId, once(PROBE), { bytesMax: PROBE.length });
    if ((await readText(store, fileId)) !== PROBE) {
      throw new Error("What was written could not be read.");
    }
  } finally {
    await store.delete(fileId);
  }
}

/** Whether files can be stored and read, and whether other machines could read them. */
export async function checkFiles(
  services: Pick<AppServices, "transact" | "clock" | "logger" | "newId" | "randomBytes">,
  config: Config,
): Promise<Finding> {
  const settings = toFileSettings(config);
  const place = PLACES[settings.store];
  try {
    const { fileStore, close } = await openFileStore(settings, services);
    await probe(fileStore, services.newId("file")).finally(close);
  } catch (error) {
    return {
      state: "failed",
      seen: `Files are kept ${place}, and a few bytes could not be written, read and deleted: ${error instanceof Error ? error.message : String(error)}`,
      advice: "Without it no upload, logo or export works: correct files.store or what it names.",
    };
  }
  return settings.store === "disk" && config.databaseUrl !== undefined
    ? {
        state: "warning",
        seen: "Files are kept in the data folder of this machine: others on the same database could not serve them.",
        advice:
          "Leave files.store out, or set it to postgres or s3, unless this machine stays the only one.",
      }
    : ok(`Kept ${place}: a few bytes were written, read and deleted just now.`);
}
