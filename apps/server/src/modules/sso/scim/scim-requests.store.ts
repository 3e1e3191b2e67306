import { SCIM_REQUESTS_MAX } from "@turnpike/contract/scim";
import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type ScimRequestRow = {
  tenant_id: TenantId;
  request_id: string;
  occurred_at: Date;
  operation: string;
  subject: string | null;
  status: number;
  detail: string | null;
};

const COLUMNS = [
  "tenant_id",
  "request_id",
  "occurred_at",
  "operation",
  "subject",
  "status",
  "detail",
] as const;

/** Adds one, and takes away those that are too many. Needs the operator role. */
export async function insertScimRequest(tx: Tx, row: ScimRequestRow): Promise<void> {
  await tx`insert into scim_requests ${tx(row, ...COLUMNS)}`;
  await tx`
    delete from scim_requests where tenant_id = ${row.tenant_id} and request_id in (
      select request_id from scim_requests where tenant_id = ${row.tenant_id}
      order by occurred_at desc, request_id desc offset ${SCIM_REQUESTS_MAX})`;
}

/** The latest, newest first. */
export async function listScimRequests(tx: Tx, tenantId: TenantId): Promise<ScimRequestRow[]> {
  return await tx<ScimRequestRow[]>`
    select ${tx(COLUMNS)} from scim_requests where tenant_id = ${tenantId}
    order by occurred_at desc, request_id desc limit ${SCIM_REQUESTS_MAX}`;
}
