import type { KeyUsage } from "#modules/keys/index.ts";
import { listKeysUsedSince } from "./key-usage.store.ts";

/** Finds keys in use, for warnings before they expire. */
export const keyUsage: KeyUsage = {
  listUsedSince: async (tx, input) => new Set(await listKeysUsedSince(tx, input.tenantId, input)),
};
