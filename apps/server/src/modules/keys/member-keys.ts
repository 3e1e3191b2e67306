import type { MemberKeys } from "#modules/tenants/index.ts";
import { listLiveKeyRowsOf } from "./keys.store.ts";

/** The keys that a member leaves behind, for the module that removes members. */
export const memberKeys: MemberKeys = {
  async listLiveKeysOf(tx, input) {
    const rows = await listLiveKeyRowsOf(tx, input.tenantId, input);
    return rows.map((row) => ({ keyId: row.key_id, name: row.name, start: row.start }));
  },
};
