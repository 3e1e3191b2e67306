import type { FileStoreSettings } from "#modules/files/index.ts";
import type { Config } from "./config.ts";
import { dataPath } from "./deps.ts";

/** Where files are kept: with a database of one's own several machines may serve, and each has a disk of its own. */
export function toFileSettings(config: Config): FileStoreSettings {
  const { files, databaseUrl } = config;
  return {
    store: files.store ?? (databaseUrl === undefined ? "disk" : "postgres"),
    folder: dataPath(config, "files"),
  };
}
