import type { Standing } from "./standing.ts";

/** Why every call of a tenant is refused, also when its key and its limits would allow it. */
export type TenantRefusal = "TENANT_SUSPENDED" | "PAYMENT_REQUIRED" | "SPEND_CAP_REACHED";

const BY_STANDING: Readonly<Record<Standing, TenantRefusal | undefined>> = {
  current: undefined,
  // Leases refuse what credit does not pay for, and nothing else.
  out_of_credit: undefined,
  overdue: undefined,
  grace: undefined,
  blocked: "PAYMENT_REQUIRED",
  capped: "SPEND_CAP_REACHED",
};

/**
 * Decides whether a tenant may make calls at all. A suspension comes first: only the operator can lift it, so paying would
 * not help.
 *
 * @returns The code of the refusal; `undefined` when the tenant may call.
 */
export function findTenantRefusal(tenant: {
  suspended: boolean;
  standing: Standing;
}): TenantRefusal | undefined {
  return tenant.suspended ? "TENANT_SUSPENDED" : BY_STANDING[tenant.standing];
}
