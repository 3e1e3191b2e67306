import type { Tx } from "@turnpike/db/client";
import type { RoleName } from "@turnpike/domain/access/scopes";
import type { TenantId, UserId } from "@turnpike/domain/ids/ids";

export type InvitationRow = {
  tenant_id: TenantId;
  invitation_id: string;
  /** Lower case. */
  email: string;
  role: RoleName;
  created_at: Date;
  created_by: string;
  expires_at: Date;
};

const COLUMNS = [
  "tenant_id",
  "invitation_id",
  "email",
  "role",
  "created_at",
  "created_by",
  "expires_at",
] as const;

export async function insertInvitation(
  tx: Tx,
  row: InvitationRow & { token_hash: Uint8Array },
): Promise<void> {
  await tx`
    insert into invitations ${tx({ ...row, token_hash: Buffer.from(row.token_hash) }, ...COLUMNS, "token_hash")}`;
}

/** Invitations that can still be accepted, newest first. */
export async function listInvitationRows(
  tx: Tx,
  tenantId: TenantId,
  page: { beforeId: string | undefined; limit: number; now: Date },
): Promise<InvitationRow[]> {
  const before = page.beforeId ?? null;
  return await tx<InvitationRow[]>`
    select ${tx(COLUMNS)} from invitations
    where tenant_id = ${tenantId} and accepted_at is null and revoked_at is null and expires_at > ${page.now}
      and (${before}::text is null or invitation_id < ${before})
    order by invitation_id desc
    limit ${page.limit}`;
}

/** The invitation, if it can still be accepted. */
export async function findOpenInvitation(
  tx: Tx,
  tenantId: TenantId,
  input: { invitationId: string; now: Date },
): Promise<InvitationRow | undefined> {
  const [row] = await tx<InvitationRow[]>`
    select ${tx(COLUMNS)} from invitations
    where tenant_id = ${tenantId} and invitation_id = ${input.invitationId}
      and accepted_at is null and revoked_at is null and expires_at > ${input.now}`;
  return row;
}

/** The invitation of a token, if it can still be accepted. Needs the operator role: a token names no tenant. */
export async function findOpenInvitationByHash(
  tx: Tx,
  input: { hash: Uint8Array; now: Date },
): Promise<InvitationRow | undefined> {
  const [row] = await tx<InvitationRow[]>`
    select ${tx(COLUMNS)} from invitations
    where token_hash = ${Buffer.from(input.hash)}
      and accepted_at is null and revoked_at is null and expires_at > ${input.now}`;
  return row;
}

/**
 * Accepts the invitation in one statement, so that only one of several attempts succeeds.
 *
 * @returns The role that it gives now: a deleted one was replaced. Undefined when it can no longer be accepted.
 */
export async function markInvitationAccepted(
  tx: Tx,
  tenantId: TenantId,
  input: { invitationId: string; userId: UserId; now: Date },
): Promise<RoleName | undefined> {
  const [row] = await tx<{ role: RoleName }[]>`
    update invitations set accepted_at = ${input.now}, accepted_by = ${input.userId}
    where tenant_id = ${tenantId} and invitation_id = ${input.invitationId}
      and accepted_at is null and revoked_at is null and expires_at > ${input.now}
    returning role`;
  return row?.role;
}

/** The tenant that a person joined with this token. Needs the operator role. */
export async function findTenantAcceptedBy(
  tx: Tx,
  input: { hash: Uint8Array; userId: UserId },
): Promise<TenantId | undefined> {
  const [row] = await tx<{ tenant_id: TenantId }[]>`
    select tenant_id from invitations
    where token_hash = ${Buffer.from(input.hash)} and accepted_by = ${input.userId}`;
  return row?.tenant_id;
}

export async function revokeInvitationRow(
  tx: Tx,
  tenantId: TenantId,
  input: { invitationId: string; now: Date },
): Promise<boolean> {
  const rows = await tx`
    update invitations set revoked_at = ${input.now}
    where tenant_id = ${tenantId} and invitation_id = ${input.invitationId}
      and accepted_at is null and revoked_at is null
    returning 1`;
  return rows.length === 1;
}

/**
 * Revokes every open invitation to an address, including expired ones, before a new one replaces it.
 *
 * @returns The invitations that could still be accepted.
 */
export async function revokeInvitationRowsTo(
  tx: Tx,
  tenantId: TenantId,
  input: { email: string; now: Date },
): Promise<InvitationRow[]> {
  const rows = await tx<InvitationRow[]>`
    update invitations set revoked_at = ${input.now}
    where tenant_id = ${tenantId} and email = ${input.email} and accepted_at is null and revoked_at is null
    returning ${tx(COLUMNS)}`;
  return rows.filter((row) => row.expires_at > input.now);
}

/** Revokes the invitations that one actor sent and that can still be accepted. @returns Those revoked. */
export async function revokeInvitationRowsBy(
  tx: Tx,
  tenantId: TenantId,
  input: { createdBy: string; roles: readonly RoleName[]; now: Date },
): Promise<InvitationRow[]> {
  return await tx<InvitationRow[]>`
    update invitations set revoked_at = ${input.now}
    where tenant_id = ${tenantId} and created_by = ${input.createdBy} and role = any(${[...input.roles]})
      and accepted_at is null and revoked_at is null and expires_at > ${input.now}
    returning ${tx(COLUMNS)}`;
}

/** Revokes what one program sent in all tenants and can still be accepted. Needs the operator role. @returns Those revoked. */
export async function revokeInvitationRowsOfProgram(
  tx: Tx,
  input: { createdBy: string; now: Date },
): Promise<InvitationRow[]> {
  return await tx<InvitationRow[]>`
    update invitations set revoked_at = ${input.now}
    where created_by = ${input.createdBy}
      and accepted_at is null and revoked_at is null and expires_at > ${input.now}
    returning ${tx(COLUMNS)}`;
}

/**
 * Counts the open invitations of a tenant, and those sent since an instant: by the tenant, by the inviter in all tenants, and
 * to the address by either. Others' invitations to it do not count: they would tell of themselves, and use up the limit. Needs the
 * operator role.
 */
export async function countInvitations(
  tx: Tx,
  tenantId: TenantId,
  input: { email: string; createdBy: string; now: Date; since: Date },
): Promise<{
  open: number;
  ofTenant: number;
  ofInviter: number;
  ofTenantToAddress: number;
  ofInviterToAddress: number;
}> {
  const [row] = await tx<
    {
      open: number;
      of_tenant: number;
      of_inviter: number;
      of_tenant_to_address: number;
      of_inviter_to_address: number;
    }[]
  >`
    select
      (select count(*)::int from invitations
        where tenant_id = ${tenantId} and email <> ${input.email}
          and accepted_at is null and revoked_at is null and expires_at > ${input.now}) as open,
      (select count(*)::int from invitations
        where tenant_id = ${tenantId} and created_at > ${input.since}) as of_tenant,
      (select count(*)::int from invitations
        where created_by = ${input.createdBy} and created_at > ${input.since}) as of_inviter,
      (select count(*)::int from invitations
        where tenant_id = ${tenantId} and email = ${input.email} and created_at > ${input.since}) as of_tenant_to_address,
      (select count(*)::int from invitations
        where created_by = ${input.createdBy} and email = ${input.email} and created_at > ${input.since})
        as of_inviter_to_address`;
  return {
    open: row?.open ?? 0,
    ofTenant: row?.of_tenant ?? 0,
    ofInviter: row?.of_inviter ?? 0,
    ofTenantToAddress: row?.of_tenant_to_address ?? 0,
    ofInviterToAddress: row?.of_inviter_to_address ?? 0,
  };
}
