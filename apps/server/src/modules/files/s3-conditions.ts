import { type S3Client, S3Error } from "#platform/s3-client.ts";

export const ABSENT = { "if-none-match": "*" } as const;
/** On what a write depends; nothing where the store knows no conditions. */
export type Condition = typeof ABSENT | { "if-match": string } | Record<never, never>;

/** The store does not have what was asked for, such as conditions of writes. */
export function isNotImplemented(error: unknown): boolean {
  return error instanceof S3Error && (error.status === 501 || error.code === "NotImplemented");
}

/**
 * Makes what finds out whether a bucket keeps to conditions of writes. Some stores refuse them, others take no notice, and some
 * misread them at the end of an upload in parts. It writes an empty object twice, once for each process.
 *
 * @returns Is given a key that no one else writes.
 */
export function createConditionProbe(client: S3Client): (key: string) => Promise<boolean> {
  let known: Promise<boolean> | undefined;

  async function probe(key: string): Promise<boolean> {
    await client.call({ method: "PUT", key });
    try {
      await client.call({ method: "PUT", key, headers: ABSENT });
      return false;
    } catch (error) {
      if (isNotImplemented(error)) {
        return false;
      }
      if (error instanceof S3Error && error.status === 412) {
        return true;
      }
      throw error;
    } finally {
      // Left behind it is empty, and no file.
      await client.call({ method: "DELETE", key }).catch(() => undefined);
    }
  }

  return async (key) => {
    known ??= probe(key);
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}
