import type { SigningKeys } from "./verify-sigv4.ts";

/** A store of others that speaks S3, on loopback and in a folder of its own. */
export type ForeignS3Server = {
  /** Without a slash at the end. */
  url: string;
  /** Of an account without buckets. */
  keys: SigningKeys;
  close(): Promise<void>;
};
