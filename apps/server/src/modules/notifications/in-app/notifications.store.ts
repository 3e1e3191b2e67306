import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type NotificationRow = {
  tenant_id: TenantId;
  notification_id: string;
  user_id: string | null;
  kind: string;
  title: string;
  body: string;
  link: string | null;
  created_at: Date;
  read_at: Date | null;
};

/** @returns False if the tenant does not exist. */
export async function insertNotification(
  tx: Tx,
  tenantId: TenantId,
  row: NotificationRow,
): Promise<boolean> {
  const rows = await tx`
    insert into notifications (tenant_id, notification_id, user_id, kind, title, body, link, created_at)
    select tenant_id, ${row.notification_id}, ${row.user_id}, ${row.kind}, ${row.title}, ${row.body}, ${row.link},
      ${row.created_at}::timestamptz
    from tenants where tenant_id = ${tenantId}
    returning notification_id`;
  return rows.length === 1;
}

/** An actor who reads, and what they may read. */
export type Reader = {
  /** Type and id of the actor, such as `user:usr_…`. Each has read what they marked themselves. */
  name: string;
  /** Beside what is for all members: what is for one of them, for every one (`any`), or nothing (`none`). */
  addressee: { userId: string } | "any" | "none";
};

/** The columns as `reader` sees them: `read_at` is when they read it. */
function columnsFor(tx: Tx) {
  return tx`
    n.tenant_id, n.notification_id, n.user_id, n.kind, n.title, n.body, n.link, n.created_at,
    coalesce(n.read_at, r.read_at) as read_at`;
}

function isVisible(tx: Tx, { addressee }: Reader) {
  if (addressee === "any") {
    return tx`true`;
  }
  return addressee === "none"
    ? tx`n.user_id is null`
    : tx`(n.user_id is null or n.user_id = ${addressee.userId})`;
}

function withReads(tx: Tx, { name }: Reader) {
  return tx`
    notifications n left join notification_reads r
      on r.tenant_id = n.tenant_id and r.notification_id = n.notification_id and r.reader = ${name}`;
}

export async function listNotificationRows(
  tx: Tx,
  tenantId: TenantId,
  page: {
    reader: Reader;
    isUnreadOnly: boolean;
    beforeId: string | undefined;
    limit: number;
  },
): Promise<NotificationRow[]> {
  const { reader, beforeId = null } = page;
  return await tx<NotificationRow[]>`
    select ${columnsFor(tx)} from ${withReads(tx, reader)}
    where n.tenant_id = ${tenantId} and ${isVisible(tx, reader)}
      and (not ${page.isUnreadOnly}::boolean or coalesce(n.read_at, r.read_at) is null)
      and (${beforeId}::text is null or n.notification_id < ${beforeId})
    order by n.notification_id desc
    limit ${page.limit}`;
}

/**
 * Notes that the reader has read a notification, unless they had before.
 *
 * @returns The current row; `undefined` if there is none that they may read.
 */
export async function markNotificationRead(
  tx: Tx,
  tenantId: TenantId,
  input: { notificationId: string; readAt: Date; reader: Reader },
): Promise<NotificationRow | undefined> {
  const { notificationId, reader } = input;
  await tx`
    insert into notification_reads (tenant_id, notification_id, reader, read_at)
    select n.tenant_id, n.notification_id, ${reader.name}, ${input.readAt}::timestamptz from notifications n
    where n.tenant_id = ${tenantId} and n.notification_id = ${notificationId} and ${isVisible(tx, reader)}
    on conflict do nothing`;
  const [row] = await tx<NotificationRow[]>`
    select ${columnsFor(tx)} from ${withReads(tx, reader)}
    where n.tenant_id = ${tenantId} and n.notification_id = ${notificationId} and ${isVisible(tx, reader)}`;
  return row;
}

/**
 * Notes that the reader has read what they had not, up to a given notification, newest first.
 *
 * @returns How many were marked.
 */
export async function markNotificationsRead(
  tx: Tx,
  tenantId: TenantId,
  input: { upToId: string; readAt: Date; reader: Reader; limit: number },
): Promise<number> {
  const { reader } = input;
  const result = await tx`
    insert into notification_reads (tenant_id, notification_id, reader, read_at)
    select n.tenant_id, n.notification_id, ${reader.name}, ${input.readAt}::timestamptz
    from ${withReads(tx, reader)}
    where n.tenant_id = ${tenantId} and n.notification_id <= ${input.upToId} and ${isVisible(tx, reader)}
      and coalesce(n.read_at, r.read_at) is null
    order by n.notification_id desc
    limit ${input.limit}
    on conflict do nothing`;
  return result.count;
}

/** Of all tenants. Needs the operator role. @returns How many were deleted. */
export async function deleteNotificationsBefore(tx: Tx, before: Date): Promise<number> {
  const result = await tx`delete from notifications where created_at < ${before}`;
  return result.count;
}
