import type { PersonTenants } from "#modules/identity/index.ts";
import { listMembershipRows } from "./members.store.ts";
import { endMembership, type RemoveMemberDeps } from "./remove-member.ts";

/** The tenants of a person who asks for their data, or goes. */
export function createPersonTenants(deps: RemoveMemberDeps): PersonTenants {
  return {
    async listMemberships(tx, userId) {
      const rows = await listMembershipRows(tx, userId);
      return rows.map((row) => ({
        tenantId: row.tenant_id,
        name: row.name,
        slug: row.slug,
        role: row.role,
        createdAt: row.created_at,
        isSoleOwner: row.is_sole_owner,
      }));
    },
    async leave(tx, context, input) {
      await endMembership(deps, tx, context, { ...input, isLeaving: true });
    },
  };
}
