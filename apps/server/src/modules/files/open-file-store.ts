import { stat } from "node:fs/promises";
import type { AppServices } from "#platform/app-services.ts";
import type { FileStore } from "./file-store.ts";
import { type FileStores, layerFileStores, moveFormerFiles } from "./layer-file-stores.ts";
import { openLocalFileStore } from "./local-file-store.ts";
import { createPostgresFileStore } from "./postgres-file-store.ts";

/** Where files are kept. Plain data, so that threads can hand it on. */
export type FileStoreSettings = {
  store: "disk" | "postgres";
  /** Of the store on the disk: absolute. */
  folder: string;
};

export type OpenFileStore = {
  fileStore: FileStore;
  /** Moves what other stores still have, of before the settings were changed. @returns How many files. */
  moveFormer(signal: AbortSignal): Promise<number>;
};

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

async function openStores(
  { store, folder }: FileStoreSettings,
  deps: Pick<AppServices, "transact" | "clock">,
): Promise<FileStores> {
  const postgres = createPostgresFileStore(deps);
  if (store === "disk") {
    return { chosen: await openLocalFileStore(folder, deps.clock.now()), former: [postgres] };
  }
  return {
    chosen: postgres,
    former: (await isFolder(folder)) ? [await openLocalFileStore(folder, deps.clock.now())] : [],
  };
}

/** Opens the store that the settings name. What another one still has can be read as well, until it is moved. */
export async function openFileStore(
  settings: FileStoreSettings,
  deps: Pick<AppServices, "transact" | "clock" | "logger">,
): Promise<OpenFileStore> {
  const stores = await openStores(settings, deps);
  return {
    fileStore: layerFileStores(stores),
    moveFormer: (signal) => moveFormerFiles(stores, { logger: deps.logger, signal }),
  };
}
