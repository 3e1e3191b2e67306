import type { TenantId } from "@turnpike/domain/ids/ids";
import type { FileStore } from "#modules/files/index.ts";
import type { Cell } from "./cell-databases.ts";
import { listParkedFiles } from "./parked-rows.store.ts";

const FILES_AT_ONCE = 500;

export type CopiedFiles = { files: number; missing: string[] };

type Stores = { from: FileStore; to: FileStore };

/** @returns False for a file that this cell itself does not have. */
async function copyFile({ from, to }: Stores, fileId: string): Promise<boolean> {
  const found = await from.stat(fileId);
  if (found === undefined) {
    return false;
  }
  if ((await to.stat(fileId))?.bytes === found.bytes) {
    return true;
  }
  const content = await from.open(fileId);
  if (content === undefined) {
    return false;
  }
  await to.put(fileId, content, { bytesMax: found.bytes });
  return true;
}

/**
 * Copies the files of a parked tenant. What the other cell has already, in full, is not copied again.
 *
 * @returns How many it has now, and those that this cell itself does not have.
 */
export async function copyFiles(
  here: Cell,
  stores: Stores,
  tenantId: TenantId,
): Promise<CopiedFiles> {
  const missing: string[] = [];
  let files = 0;
  for (let after = "", isMore = true; isMore; ) {
    const page = { after, limit: FILES_AT_ONCE };
    const fileIds = await here.transact.asOperator((tx) => listParkedFiles(tx, tenantId, page));
    for (const fileId of fileIds) {
      const isThere = await copyFile(stores, fileId);
      files += isThere ? 1 : 0;
      if (!isThere) {
        missing.push(fileId);
      }
    }
    after = fileIds.at(-1) ?? after;
    isMore = fileIds.length === FILES_AT_ONCE;
  }
  return { files, missing };
}
