import type { FileStoreSettings } from "#modules/files/index.ts";
import type { Config } from "./config.ts";
import { dataPath } from "./deps.ts";

/** Where files are kept: with a database of one's own several machines may serve, and each has a disk of its own. */
export function toFileSettings(config: Config): FileStoreSettings {
  const { files, databaseUrl, s3SecretKey } = config;
  const { s3 } = files;
  return {
    store: files.store ?? (databaseUrl === undefined ? "disk" : "postgres"),
    folder: dataPath(config, "files"),
    ...(s3 !== undefined &&
      s3SecretKey !== undefined && {
        s3: {
          endpoint: s3.endpoint,
          publicEndpoint: s3.publicEndpoint ?? s3.endpoint,
          region: s3.region,
          bucket: s3.bucket,
          prefix: s3.prefix,
          pathStyle: s3.pathStyle,
          accessKeyId: s3.accessKeyId,
          secretAccessKey: s3SecretKey,
        },
      }),
  };
}
