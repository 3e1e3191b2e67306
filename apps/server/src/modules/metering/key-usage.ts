import type { KeyUsage } from "#modules/keys/index.ts";
import { listKeysUsedSince } from "./key-usage.store.ts";

/** Which keys are in use, for whoever warns of their end. */
export const keyUsage: KeyUsage = {
  listUsedSince: async (tx, input) => new Set(await listKeysUsedSince(tx, input.tenantId, input)),
};
