import type { MemberKeys } from "#modules/tenants/index.ts";
import { listLiveKeyRowsOf } from "./keys.store.ts";

/** The keys that somebody leaves behind, for whoever removes a member. */
export const memberKeys: MemberKeys = {
  async listLiveKeysOf(tx, input) {
    const rows = await listLiveKeyRowsOf(tx, input.tenantId, input);
    return rows.map((row) => ({ keyId: row.key_id, name: row.name, start: row.start }));
  },
};
