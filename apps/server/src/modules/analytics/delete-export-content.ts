import type { FileStore } from "#modules/files/index.ts";

/** Deletes the bytes of parts that are forgotten. What is left, should the process end before, is swept at night. */
export async function deleteExportContent(
  fileStore: FileStore,
  fileIds: readonly string[],
): Promise<void> {
  for (const fileId of fileIds) {
    await fileStore.delete(fileId);
  }
}
