import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { toOutputFileError } from "./output-file-error.ts";

/**
 * Writes a file that is there as a whole or not at all, through kills and a disk that is full. What a kill leaves behind is
 * `.<name>.part`, which the next attempt overwrites.
 *
 * @throws {OutputFileError}
 */
export async function writeWholeFile(
  path: string,
  content: string | Uint8Array | AsyncIterable<string>,
): Promise<void> {
  const part = join(dirname(path), `.${basename(path)}.part`);
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(part, "w");
    try {
      await writeFile(file, content);
      // The name may reach the disk before the content, and a power cut would leave an empty file.
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw toOutputFileError(path, error);
  }
}
