import type { Tx } from "@turnpike/db/client";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import { TENANT_COLUMNS, type TenantRow } from "./tenants.store.ts";

/** Everything here needs the operator role that sees deleted tenants. */
export type DeletedTenantRow = Pick<TenantRow, "tenant_id" | "name" | "slug" | "external_id"> & {
  deleted_at: Date;
  deleted_by: string;
  purged_at: Date | null;
};

const COLUMNS = [
  "tenant_id",
  "name",
  "slug",
  "external_id",
  "deleted_at",
  "deleted_by",
  "purged_at",
] as const;

export async function lockOpenTenantRow(
  tx: Tx,
  tenantId: TenantId,
): Promise<TenantRow | undefined> {
  const [row] = await tx<TenantRow[]>`
    select ${tx(TENANT_COLUMNS)} from tenants
    where tenant_id = ${tenantId} and deleted_at is null
    for update`;
  return row;
}

export async function markTenantDeleted(
  tx: Tx,
  tenantId: TenantId,
  input: { now: Date; deletedBy: string },
): Promise<void> {
  await tx`
    update tenants set deleted_at = ${input.now}, deleted_by = ${input.deletedBy}, updated_at = ${input.now}
    where tenant_id = ${tenantId}`;
}

/** Revokes every open invitation, including expired ones. */
export async function revokeOpenInvitationRows(
  tx: Tx,
  tenantId: TenantId,
  now: Date,
): Promise<void> {
  await tx`
    update invitations set revoked_at = ${now}
    where tenant_id = ${tenantId} and accepted_at is null and revoked_at is null`;
}

/** Publishes that the roles of all members changed. */
export async function publishMembers(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`
    select record_change('user', ${tenantId}, user_id) from members where tenant_id = ${tenantId}`;
}

export async function lockDeletedTenantRow(
  tx: Tx,
  tenantId: TenantId,
): Promise<DeletedTenantRow | undefined> {
  const [row] = await tx<DeletedTenantRow[]>`
    select ${tx(COLUMNS)} from tenants
    where tenant_id = ${tenantId} and deleted_at is not null
    for update`;
  return row;
}

/** A position in the list of deleted tenants. */
export type DeletedPosition = { deletedAt: Date; tenantId: TenantId };

/** The most recently deleted first. */
export async function listDeletedTenantRows(
  tx: Tx,
  page: { before: DeletedPosition | undefined; limit: number },
): Promise<DeletedTenantRow[]> {
  const { before } = page;
  const isAfter =
    before === undefined
      ? tx``
      : tx`and (deleted_at, tenant_id) < (${before.deletedAt}, ${before.tenantId})`;
  return await tx<DeletedTenantRow[]>`
    select ${tx(COLUMNS)} from tenants
    where deleted_at is not null ${isAfter}
    order by deleted_at desc, tenant_id desc
    limit ${page.limit}`;
}

/** True when another tenant has taken the slug or the external id. */
export async function isNameTaken(
  tx: Tx,
  name: { slug: string } | { externalId: string },
): Promise<boolean> {
  const rows =
    "slug" in name
      ? await tx`select 1 from tenants where slug = ${name.slug} and deleted_at is null`
      : await tx`select 1 from tenants where external_id = ${name.externalId} and deleted_at is null`;
  return rows.length > 0;
}

export async function markTenantRestored(
  tx: Tx,
  tenantId: TenantId,
  input: { slug: string; now: Date },
): Promise<TenantRow | undefined> {
  const [row] = await tx<TenantRow[]>`
    update tenants set slug = ${input.slug}, deleted_at = null, deleted_by = null, updated_at = ${input.now}
    where tenant_id = ${tenantId}
    returning ${tx(TENANT_COLUMNS)}`;
  return row;
}

/** Members who deleted their account while the tenant was deleted, and so could not leave it. */
export async function deleteGoneMembers(tx: Tx, tenantId: TenantId): Promise<UserId[]> {
  const rows = await tx<{ user_id: UserId }[]>`
    delete from members m using users u
    where m.tenant_id = ${tenantId} and u.user_id = m.user_id and u.deleted_at is not null
    returning m.user_id`;
  return rows.map((row) => row.user_id);
}

/** Tenants that can no longer be restored and still have data, the earliest deleted first. */
export async function listTenantIdsToPurge(
  tx: Tx,
  input: { deletedUntil: Date; limit: number },
): Promise<TenantId[]> {
  const rows = await tx<{ tenant_id: TenantId }[]>`
    select tenant_id from tenants
    where deleted_at <= ${input.deletedUntil} and purged_at is null
    order by deleted_at
    limit ${input.limit}`;
  return rows.map((row) => row.tenant_id);
}

export async function deletePeopleOfTenant(
  tx: Tx,
  { tenantId, limit }: { tenantId: TenantId; limit: number },
): Promise<number> {
  const invitations = await tx`
    delete from invitations where ctid = any(array(
      select ctid from invitations where tenant_id = ${tenantId} limit ${limit}))
    returning 1`;
  const members = await tx`
    delete from members where ctid = any(array(
      select ctid from members where tenant_id = ${tenantId} limit ${limit}))
    returning 1`;
  // Those that members or invitations still have go in a later turn.
  const roles = await tx`
    delete from custom_roles r where tenant_id = ${tenantId}
      and not exists (select from members m where m.tenant_id = r.tenant_id and m.custom_role_id = r.role_id)
      and not exists (select from invitations i where i.tenant_id = r.tenant_id and i.custom_role_id = r.role_id)
    returning 1`;
  return invitations.length + members.length + roles.length;
}

/** Keeps the row, without its name, because the ledger refers to it. */
export async function markTenantPurged(
  tx: Tx,
  tenantId: TenantId,
  input: { name: string; slug: string; now: Date },
): Promise<void> {
  await tx`
    update tenants
    set name = ${input.name}, slug = ${input.slug}, external_id = null, purged_at = ${input.now}, updated_at = ${input.now},
      logo_id = null, logo_files = null
    where tenant_id = ${tenantId}`;
}

export type DemoTenantRow = { tenantId: TenantId; name: string; slug: string; isDeleted: boolean };

/** Tenants whose external id begins with `prefix`, deleted ones included, the oldest first. */
export async function listDemoTenantRows(tx: Tx, prefix: string): Promise<DemoTenantRow[]> {
  return await tx<DemoTenantRow[]>`
    select tenant_id as "tenantId", name, slug, deleted_at is not null as "isDeleted" from tenants
    where starts_with(external_id, ${prefix})
    order by created_at, tenant_id`;
}

/** Removes a deleted tenant's row, and by the foreign keys all that still hangs on it. */
export async function deleteTenantRow(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`delete from tenants where tenant_id = ${tenantId} and deleted_at is not null`;
}
