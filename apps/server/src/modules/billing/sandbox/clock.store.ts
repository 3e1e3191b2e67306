import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { EventRow } from "../accounts/accounts.store.ts";

/** The event that tells of an advance of the clock. */
export const CLOCK_ADVANCED = "clock.advanced";

/**
 * Remembers by how much usage was shifted that was recorded up to a cut-off: usage recorded later has the account's own `ahead_ms`.
 * Of two advances at one cut-off the first counts, because nothing was recorded between them.
 */
export async function insertShift(
  tx: Tx,
  { tenantId, recordedTo, aheadMs }: { tenantId: TenantId; recordedTo: Date; aheadMs: number },
): Promise<void> {
  await tx`
    insert into sandbox_usage_shifts (tenant_id, recorded_to, ahead_ms) values (${tenantId}, ${recordedTo}, ${aheadMs})
    on conflict do nothing`;
}

/** What happened with the last advance of a sandbox's clock, oldest first; nothing when it was never advanced. */
export async function listLastAdvance(tx: Tx, tenantId: TenantId): Promise<EventRow[]> {
  return await tx<EventRow[]>`
    with last as (
      select (details ->> 'after')::int as after, recorded_at from billing_events
      where tenant_id = ${tenantId} and environment = 'test' and kind = ${CLOCK_ADVANCED}
      order by sequence desc limit 1
    )
    select e.sequence, e.happened_at as "happenedAt", e.recorded_at as "recordedAt", e.kind, e.details, e.actor,
      i.number as "invoiceNumber"
    from billing_events e join last on e.sequence > last.after and e.recorded_at = last.recorded_at
      left join invoices i on i.tenant_id = e.tenant_id and i.invoice_id = e.details ->> 'invoiceId'
    where e.tenant_id = ${tenantId} and e.environment = 'test'
    order by e.sequence`;
}
