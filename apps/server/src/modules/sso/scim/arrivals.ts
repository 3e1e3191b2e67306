import type { Tx } from "@turnpike/db/client";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { emailDomainOf } from "@turnpike/domain/text/email-domain";
import type { DirectoryArrivals } from "#modules/tenants/index.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import type { ScimDeps } from "./scim-deps.ts";
import {
  findScimUser,
  findScimUserOfAccount,
  linkScimUser,
  listWaiting,
  type ScimUserRow,
} from "./scim-users.store.ts";
import { settleAccess } from "./settle-access.ts";

/** People whom a directory announced become members by their first sign-in, at any provider that proves their address. */
export function createDirectoryArrivals(deps: ScimDeps): DirectoryArrivals {
  return {
    async join({ userId, email }) {
      const address = email.toLowerCase();
      if (emailDomainOf(address) === undefined) {
        return;
      }
      const share = { holder: userId };
      const waiting = await deps.transact.asOperator((tx) => listWaiting(tx, address), share);
      for (const row of waiting) {
        await deps.transact.asOperator(async (tx) => {
          await lockTenant(tx, row.tenant_id);
          await settleAgain(deps, tx, row);
        }, share);
      }
    },
  };
}

async function settleAgain(deps: ScimDeps, tx: Tx, { tenant_id, scim_user_id }: ScimUserRow) {
  const row = await findScimUser(tx, tenant_id, scim_user_id);
  if (row !== undefined) {
    const directory = { tenantId: tenant_id, requestId: deps.newId("request") };
    await settleAccess(deps, tx, { directory, row, groupsChanged: false });
  }
}

/** True for a person whose access the tenant's directory ended. Needs the operator role. */
export async function isEndedByDirectory(
  tx: Tx,
  tenantId: TenantId,
  person: { accountId: string | undefined; email: string },
): Promise<boolean> {
  const email = person.email.toLowerCase();
  return (await findScimUserOfAccount(tx, tenantId, { ...person, email }))?.active === false;
}

/**
 * Makes a person who came by the tenant's single sign-on the one whom its directory announced. Needs the operator role.
 *
 * @returns False when the directory announced no such person.
 */
export async function joinByDirectory(
  deps: ScimDeps,
  tx: Tx,
  input: { tenantId: TenantId; accountId: string; userId: UserId; email: string },
): Promise<boolean> {
  const { tenantId, userId } = input;
  await lockTenant(tx, tenantId);
  const email = input.email.toLowerCase();
  const row = await findScimUserOfAccount(tx, tenantId, { ...input, email });
  if (row === undefined || !row.active) {
    return false;
  }
  const scimUserId = row.scim_user_id;
  const isThem =
    row.user_id === userId ||
    (row.user_id === null && (await linkScimUser(tx, { tenantId, scimUserId, userId })));
  if (isThem) {
    await settleAgain(deps, tx, row);
  }
  return isThem;
}
