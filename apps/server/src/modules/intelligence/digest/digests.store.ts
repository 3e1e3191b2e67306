import type { Tx } from "@turnpike/db/client";
import type { RoleName } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";
import type { DigestFrequency } from "@turnpike/domain/insights/digest-schedule";
import type { InsightRow } from "../insights.store.ts";

export type DigestRow = {
  tenant_id: TenantId;
  user_id: UserId;
  frequency: Exclude<DigestFrequency, "off">;
  time_zone: string;
  told_to: Date;
  next_at: Date;
};

const COLUMNS = ["tenant_id", "user_id", "frequency", "time_zone", "told_to", "next_at"] as const;

/** Of a person, in tenants that are not deleted. Needs the operator role. */
export async function listDigestRows(tx: Tx, userId: UserId): Promise<DigestRow[]> {
  return await tx<DigestRow[]>`
    select ${tx(COLUMNS)} from insight_digests d
    where user_id = ${userId} and exists (
      select from tenants t where t.tenant_id = d.tenant_id and t.deleted_at is null)
    order by tenant_id`;
}

/** The address to which a person's digests go, if it is verified. Needs the operator role. */
export async function findDigestAddress(tx: Tx, userId: UserId): Promise<string | undefined> {
  const [row] = await tx<{ email: string }[]>`
    select email from users where user_id = ${userId} and email is not null and email_verified`;
  return row?.email;
}

/** Stores a choice. Changes that an earlier one has told of are not told of again. */
export async function saveDigestRow(tx: Tx, row: DigestRow): Promise<void> {
  await tx`
    insert into insight_digests ${tx(row, ...COLUMNS)}
    on conflict (tenant_id, user_id) do update
    set frequency = excluded.frequency, time_zone = excluded.time_zone, next_at = excluded.next_at`;
}

export async function deleteDigestRow(tx: Tx, tenantId: TenantId, userId: UserId): Promise<void> {
  await tx`delete from insight_digests where tenant_id = ${tenantId} and user_id = ${userId}`;
}

export type DueDigest = DigestRow & {
  role: RoleName;
  /** Of a role that the tenant made; null for built-in ones. */
  role_title: string | null;
  role_scopes: string[] | null;
  tenant_name: string;
  tenant_slug: string;
};

/**
 * The digest that has been due for longest, locked until the end of the transaction; those that another process has locked are
 * left to it. Needs the operator role.
 */
export async function lockDueDigest(tx: Tx, now: Date): Promise<DueDigest | undefined> {
  const [row] = await tx<DueDigest[]>`
    select d.tenant_id, d.user_id, d.frequency, d.time_zone, d.told_to, d.next_at, m.role, r.name as role_title, r.scopes as role_scopes,
      t.name as tenant_name, t.slug as tenant_slug
    from insight_digests d join members m using (tenant_id, user_id) join tenants t using (tenant_id)
      left join custom_roles r on r.tenant_id = m.tenant_id and r.role_id = m.custom_role_id
    where d.next_at <= ${now} and t.deleted_at is null
    order by d.next_at, d.tenant_id, d.user_id
    limit 1
    for update of d skip locked`;
  return row;
}

/** Notes up to when a digest told of changes, and when the next one is due. Needs the operator role. */
export async function advanceDigestRow(
  tx: Tx,
  row: Pick<DigestRow, "tenant_id" | "user_id" | "told_to" | "next_at">,
): Promise<void> {
  await tx`
    update insight_digests set told_to = ${row.told_to}, next_at = ${row.next_at}
    where tenant_id = ${row.tenant_id} and user_id = ${row.user_id}`;
}

export type DigestedInsight = Pick<
  InsightRow,
  "insight_id" | "kind" | "facts" | "since" | "ended_at"
> & {
  opened_at: Date;
};

/**
 * What a digest tells of: what is open, and what ended in `[from, to)`, the newest first. Without what was dismissed. Needs the
 * operator role.
 */
export async function listDigestedInsights(
  tx: Tx,
  input: { tenantId: TenantId; from: Date; to: Date; limit: number },
): Promise<DigestedInsight[]> {
  const { tenantId, from, to } = input;
  return await tx<DigestedInsight[]>`
    select insight_id, kind, facts, since, ended_at, coalesce(opened_at, since) as opened_at
    from insights
    where tenant_id = ${tenantId} and dismissed_at is null and coalesce(opened_at, since) < ${to}
      and (ended_at is null or (ended_at >= ${from} and ended_at < ${to}))
    order by since desc, insight_id desc
    limit ${input.limit}`;
}
