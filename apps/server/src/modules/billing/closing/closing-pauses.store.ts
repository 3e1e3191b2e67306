import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** Keeps the periods of a tenant open until an instant. */
export async function putPause(
  tx: Tx,
  { tenantId, until }: { tenantId: TenantId; until: Date },
): Promise<void> {
  await tx`
    insert into closing_pauses (tenant_id, until) values (${tenantId}, ${until})
    on conflict (tenant_id) do update set until = excluded.until`;
}

export async function deletePause(tx: Tx, tenantId: TenantId): Promise<void> {
  await tx`delete from closing_pauses where tenant_id = ${tenantId}`;
}
