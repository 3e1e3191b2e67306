import { SCIM_USERS_MAX } from "@turnpike/contract/scim";
import type { Tx } from "@turnpike/db/client";
import { isUniqueViolation } from "@turnpike/db/database-errors";
import { emailDomainOf } from "@turnpike/domain/text/email-domain";
import { writeAudit } from "#modules/audit/index.ts";
import { directoryContext } from "#modules/tenants/index.ts";
import { lockTenant } from "#platform/assert-tenant-exists.store.ts";
import { isVerifiedDomain } from "../sso-domains.store.ts";
import type { PersonAttributes } from "./protocol/person-attributes.ts";
import { invalidValue, noSuchResource, ScimError } from "./protocol/scim-error.ts";
import type { Directory, ScimDeps } from "./scim-deps.ts";
import {
  countScimUsers,
  deleteScimUser,
  findScimUser,
  insertScimUser,
  type ScimUserRow,
  updateScimUser,
} from "./scim-users.store.ts";
import { settleAccess } from "./settle-access.ts";

/** The address of a person: some directories send it as userName alone. */
function toEmail(person: PersonAttributes): string {
  const email = (person.email ?? person.userName).toLowerCase();
  if (emailDomainOf(email) === undefined) {
    throw invalidValue("The person has no e-mail address: send it in emails, or as userName.");
  }
  return email;
}

function toColumns(person: PersonAttributes) {
  return {
    user_name: person.userName,
    email: toEmail(person),
    external_id: person.externalId,
    display_name: person.displayName,
    formatted_name: person.formattedName,
    given_name: person.givenName,
    family_name: person.familyName,
    active: person.active,
  };
}

export function toAttributes(row: ScimUserRow): PersonAttributes {
  return {
    userName: row.user_name,
    externalId: row.external_id,
    displayName: row.display_name,
    formattedName: row.formatted_name,
    givenName: row.given_name,
    familyName: row.family_name,
    active: row.active,
    email: row.email,
  };
}

/** A directory speaks for the addresses of its tenant's proven domains, and for no others. */
async function assertOwnDomain(tx: Tx, { tenantId }: Directory, email: string): Promise<void> {
  const domain = emailDomainOf(email) ?? "";
  if (!(await isVerifiedDomain(tx, tenantId, domain))) {
    throw invalidValue(
      `The address is of ${domain}, which is not proven here. An owner proves it under Single sign-on.`,
    );
  }
}

/** Writes, and says it in the directory's words when the name or the address is taken. */
async function unlessTaken(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw new ScimError(409, "A person with this userName or address exists already.", {
        scimType: "uniqueness",
      });
    }
    throw error;
  }
}

async function audit(
  deps: ScimDeps,
  tx: Tx,
  input: { directory: Directory; row: ScimUserRow; action: string },
): Promise<void> {
  const { row, action } = input;
  await writeAudit(deps, tx, directoryContext(input.directory.requestId), {
    tenantId: row.tenant_id,
    action,
    entityType: "scim_user",
    entityId: row.scim_user_id,
    details: { email: row.email, active: row.active },
  });
}

/** @throws {ScimError} `uniqueness`, `invalidValue` for an address of another domain; 403 when there are too many. */
export async function createPerson(
  deps: ScimDeps,
  directory: Directory,
  person: PersonAttributes,
): Promise<ScimUserRow> {
  const { tenantId } = directory;
  const now = deps.clock.now();
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const row: ScimUserRow = {
        ...toColumns(person),
        tenant_id: tenantId,
        scim_user_id: deps.newId("scimUser"),
        user_id: null,
        created_at: now,
        updated_at: now,
      };
      await assertOwnDomain(tx, directory, row.email);
      if ((await countScimUsers(tx, tenantId)) >= SCIM_USERS_MAX) {
        throw new ScimError(403, `A directory has at most ${String(SCIM_USERS_MAX)} people here.`);
      }
      await unlessTaken(insertScimUser(tx, row));
      await settleAccess(deps, tx, { directory, row, groupsChanged: false });
      await audit(deps, tx, { directory, row, action: "scim_user.created" });
      return row;
    },
    { holder: tenantId },
  );
}

/**
 * Changes a person, and with them their access: at once when it ends.
 *
 * @param change - From what is kept to what shall be.
 * @throws {ScimError} 404, `uniqueness`, `invalidValue`. @throws {AppError} `LAST_OWNER`.
 */
export async function updatePerson(
  deps: ScimDeps,
  directory: Directory,
  input: { id: string; change: (present: PersonAttributes) => PersonAttributes },
): Promise<ScimUserRow> {
  const { tenantId } = directory;
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const before = await findScimUser(tx, tenantId, input.id);
      if (before === undefined) {
        throw noSuchResource(input.id);
      }
      const columns = toColumns(input.change(toAttributes(before)));
      const row = { ...before, ...columns, updated_at: deps.clock.now() };
      const isSame = Object.entries(columns).every(
        ([name, value]) => before[name as keyof typeof columns] === value,
      );
      if (isSame) {
        return before;
      }
      if (row.email !== before.email || (row.active && !before.active)) {
        await assertOwnDomain(tx, directory, row.email);
      }
      await unlessTaken(updateScimUser(tx, row));
      await settleAccess(deps, tx, { directory, row, groupsChanged: false });
      await audit(deps, tx, { directory, row, action: "scim_user.changed" });
      return row;
    },
    { holder: tenantId },
  );
}

/** Ends the membership of a person and forgets what the directory said of them. @throws As {@link updatePerson}. */
export async function deletePerson(
  deps: ScimDeps,
  directory: Directory,
  id: string,
): Promise<ScimUserRow> {
  const { tenantId } = directory;
  return await deps.transact.asOperator(
    async (tx) => {
      await lockTenant(tx, tenantId);
      const before = await findScimUser(tx, tenantId, id);
      if (before === undefined) {
        throw noSuchResource(id);
      }
      const row = { ...before, active: false };
      await settleAccess(deps, tx, { directory, row, groupsChanged: false });
      await deleteScimUser(tx, tenantId, id);
      await audit(deps, tx, { directory, row, action: "scim_user.deleted" });
      return row;
    },
    { holder: tenantId },
  );
}
