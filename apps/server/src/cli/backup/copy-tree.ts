import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A file of a backup; its path is relative to the backup, with slashes. */
export type CopiedFile = { path: string; bytes: number; sha256: string };

export type CopyInput = {
  from: string;
  to: string;
  /** Path of the copies in the backup. */
  name: string;
  /** Whether a file or folder is left out; its path is relative to `from`. Default: none is. */
  isLeftOut?: (path: string) => boolean;
  signal: AbortSignal;
  onFile(file: CopiedFile): void;
};

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Hashes what is written, not what is read again: a file that grows meanwhile is described as it was copied. */
async function copyFile(from: string, to: string, signal: AbortSignal) {
  const hash = createHash("sha256");
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(createReadStream(from), measure, createWriteStream(to, { mode: 0o600 }), {
    signal,
  });
  return { bytes, sha256: hash.digest("hex") };
}

/**
 * Copies a folder with all that is in it, links excepted. What is removed meanwhile is left out, as a folder that is not there is.
 */
export async function copyTree(input: CopyInput, below = ""): Promise<void> {
  const entries = await readdir(join(input.from, below), { withFileTypes: true }).catch(
    (error: unknown) => {
      if (isGone(error)) {
        return;
      }
      throw error;
    },
  );
  if (entries === undefined) {
    return;
  }
  await mkdir(join(input.to, input.name, below), { recursive: true, mode: 0o700 });
  for (const entry of entries) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (input.isLeftOut?.(path) === true) {
      continue;
    }
    if (entry.isDirectory()) {
      await copyTree(input, path);
    } else if (entry.isFile()) {
      const name = `${input.name}/${path}`;
      const copied = await copyFile(
        join(input.from, path),
        join(input.to, name),
        input.signal,
      ).catch((error: unknown) => {
        if (isGone(error)) {
          return;
        }
        throw error;
      });
      if (copied !== undefined) {
        input.onFile({ path: name, ...copied });
      }
    }
  }
}
