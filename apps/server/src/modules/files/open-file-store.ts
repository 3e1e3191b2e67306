import { stat } from "node:fs/promises";
import type { AppServices } from "#platform/app-services.ts";
import { createS3Client, type S3Settings } from "#platform/s3-client.ts";
import type { FileStore } from "./file-store.ts";
import { layerFileStores, moveFormerFiles } from "./layer-file-stores.ts";
import { openLocalFileStore } from "./local-file-store.ts";
import { createPostgresFileStore } from "./postgres-file-store.ts";
import { createS3FileStore } from "./s3-file-store.ts";

/** Where files are kept. Plain data, so that threads can hand it on. */
export type FileStoreSettings = {
  store: "disk" | "postgres" | "s3";
  /** Of the store on the disk: absolute. */
  folder: string;
  /** Left out: there is no bucket. */
  s3?: S3Settings & { prefix: string };
};

export type OpenFileStore = {
  fileStore: FileStore;
  /** Moves what other stores still have, of before the settings were changed. @returns How many files. */
  moveFormer(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
};

type Deps = Pick<AppServices, "transact" | "clock" | "logger" | "randomBytes">;

const UINT32 = 2 ** 32;

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/**
 * Opens the store that the settings name. What another one still has can be read as well, until it is moved: the folder of the disk
 * where there is one, the database, and the bucket that the settings describe.
 */
export async function openFileStore(
  settings: FileStoreSettings,
  deps: Deps,
): Promise<OpenFileStore> {
  const { store, folder, s3 } = settings;
  const client =
    s3 &&
    createS3Client(s3, {
      clock: deps.clock,
      chance: () => Buffer.from(deps.randomBytes(4)).readUInt32BE() / UINT32,
    });
  const stores = new Map<FileStoreSettings["store"], FileStore>([
    ["postgres", createPostgresFileStore(deps)],
  ]);
  if (s3 !== undefined && client !== undefined) {
    stores.set("s3", createS3FileStore(client, s3));
  }
  if (store === "disk" || (await isFolder(folder))) {
    stores.set("disk", await openLocalFileStore(folder, deps.clock.now()));
  }
  const chosen = stores.get(store);
  stores.delete(store);
  if (chosen === undefined) {
    throw new TypeError("The settings name a bucket and do not describe it.");
  }
  const layers = { chosen, former: [...stores.values()] };
  return {
    fileStore: layerFileStores(layers),
    moveFormer: (signal) => moveFormerFiles(layers, { logger: deps.logger, signal }),
    close: async () => await client?.close(),
  };
}
