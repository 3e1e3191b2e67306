import type { Tx } from "@turnpike/db/client";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

export type TenantRow = {
  tenant_id: TenantId;
  name: string;
  slug: string;
  external_id: string | null;
  suspended_at: Date | null;
  /** Why, in words for the members; null while it is not suspended. */
  suspension_reason: string | null;
  created_at: Date;
  logo_id: string | null;
};

export const TENANT_COLUMNS = [
  "tenant_id",
  "name",
  "slug",
  "external_id",
  "suspended_at",
  "suspension_reason",
  "created_at",
  "logo_id",
] as const;

/** A tenant with the type and id of the actor who creates it. */
export type NewTenantRow = Omit<TenantRow, "logo_id" | "suspension_reason"> & {
  created_by: string;
};

/** Inserts a tenant; `undefined` when slug or external id is taken. */
export async function insertTenant(tx: Tx, row: NewTenantRow): Promise<TenantRow | undefined> {
  const [tenant] = await tx<TenantRow[]>`
    insert into tenants ${tx({ ...row, logo_id: null, suspension_reason: null, updated_at: row.created_at }, ...TENANT_COLUMNS, "created_by", "updated_at")}
    on conflict do nothing
    returning ${tx(TENANT_COLUMNS)}`;
  return tenant;
}

export async function findTenantRow(tx: Tx, tenantId: TenantId): Promise<TenantRow | undefined> {
  const [tenant] = await tx<TenantRow[]>`
    select ${tx(TENANT_COLUMNS)} from tenants where tenant_id = ${tenantId}`;
  return tenant;
}

/** In no order; those that do not exist are left out. */
export async function findTenantRows(tx: Tx, tenantIds: readonly TenantId[]): Promise<TenantRow[]> {
  return await tx<TenantRow[]>`
    select ${tx(TENANT_COLUMNS)} from tenants where tenant_id = any(${[...tenantIds]}::text[])`;
}

export async function findTenantRowBySlug(tx: Tx, slug: string): Promise<TenantRow | undefined> {
  const [tenant] = await tx<TenantRow[]>`
    select ${tx(TENANT_COLUMNS)} from tenants where slug = ${slug}`;
  return tenant;
}

export async function findTenantRowByExternalId(
  tx: Tx,
  externalId: string,
): Promise<TenantRow | undefined> {
  const [tenant] = await tx<TenantRow[]>`
    select ${tx(TENANT_COLUMNS)} from tenants where external_id = ${externalId}`;
  return tenant;
}

export async function hasExternalId(tx: Tx, externalId: string): Promise<boolean> {
  const rows = await tx`
    select 1 from tenants where external_id = ${externalId} and deleted_at is null`;
  return rows.length > 0;
}

/** Escapes the characters that have a meaning in a pattern. */
function toPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

export type TenantPage = {
  /** Part of the name or the slug, in any case. */
  text: string | undefined;
  slug: string | undefined;
  /** The last id of the page before. */
  beforeId: string | undefined;
  limit: number;
};

/** Newest first. */
export async function listTenantRows(tx: Tx, page: TenantPage): Promise<TenantRow[]> {
  const before = page.beforeId ?? null;
  const pattern = page.text === undefined ? null : toPattern(page.text);
  const slug = page.slug ?? null;
  return await tx<TenantRow[]>`
    select ${tx(TENANT_COLUMNS)} from tenants
    where (${before}::text is null or tenant_id < ${before})
      and (${pattern}::text is null or name ilike ${pattern} or slug ilike ${pattern})
      and (${slug}::text is null or slug = ${slug})
    order by tenant_id desc
    limit ${page.limit}`;
}

/** The tenants of a person, newest first. Needs the operator role. */
export async function listTenantRowsOfUser(
  tx: Tx,
  userId: UserId,
  page: TenantPage,
): Promise<TenantRow[]> {
  const before = page.beforeId ?? null;
  const pattern = page.text === undefined ? null : toPattern(page.text);
  const slug = page.slug ?? null;
  return await tx<TenantRow[]>`
    select ${tx(TENANT_COLUMNS)} from tenants
    where tenant_id in (select tenant_id from members where user_id = ${userId})
      and (${before}::text is null or tenant_id < ${before})
      and (${pattern}::text is null or name ilike ${pattern} or slug ilike ${pattern})
      and (${slug}::text is null or slug = ${slug})
    order by tenant_id desc
    limit ${page.limit}`;
}

export async function updateTenantRow(
  tx: Tx,
  row: Pick<TenantRow, "tenant_id" | "name" | "slug" | "suspended_at" | "suspension_reason"> & {
    now: Date;
  },
): Promise<TenantRow | undefined> {
  const [tenant] = await tx<TenantRow[]>`
    update tenants
    set name = ${row.name}, slug = ${row.slug}, suspended_at = ${row.suspended_at},
      suspension_reason = ${row.suspension_reason}, updated_at = ${row.now}
    where tenant_id = ${row.tenant_id}
    returning ${tx(TENANT_COLUMNS)}`;
  return tenant;
}

/** Publishes that the tenant changed. */
export async function publishTenant(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`select record_change('tenant', ${tenantId}, ${tenantId})`;
}
