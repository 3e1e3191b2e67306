import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type KeptPlanAdvice = {
  /** Its first day by UTC, such as 2026-01-01. */
  month: string;
  planId: string;
  planVersion: number;
  madeAt: Date;
  /** Null when nothing was worth telling. */
  text: string | null;
};

export async function findKeptAdvice(
  tx: Tx,
  tenantId: TenantId,
): Promise<KeptPlanAdvice | undefined> {
  const [row] = await tx<KeptPlanAdvice[]>`
    select to_char(month, 'YYYY-MM-DD') as month, plan_id as "planId", plan_version as "planVersion", made_at as "madeAt", text
    from kept_plan_advice where tenant_id = ${tenantId}`;
  return row;
}

export async function saveKeptAdvice(
  tx: Tx,
  tenantId: TenantId,
  { month, planId, planVersion, madeAt, text }: KeptPlanAdvice,
): Promise<void> {
  await tx`
    insert into kept_plan_advice (tenant_id, month, plan_id, plan_version, made_at, text)
    values (${tenantId}, ${month}, ${planId}, ${planVersion}, ${madeAt}, ${text})
    on conflict (tenant_id) do update
    set month = excluded.month, plan_id = excluded.plan_id, plan_version = excluded.plan_version, made_at = excluded.made_at,
      text = excluded.text`;
}
