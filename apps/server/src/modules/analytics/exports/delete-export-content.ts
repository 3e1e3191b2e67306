import type { FileStore } from "#modules/files/index.ts";

/** Deletes the bytes of deleted chunks. If the process ends before, a nightly sweep deletes the rest. */
export async function deleteExportContent(
  fileStore: FileStore,
  fileIds: readonly string[],
): Promise<void> {
  for (const fileId of fileIds) {
    await fileStore.delete(fileId);
  }
}
