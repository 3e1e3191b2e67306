import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import type { HardLimit } from "#modules/metering/index.ts";
import type { LimitScope, Subject } from "../call-to-decide.ts";
import type { ConcurrencyLimit } from "./call-permits.ts";
import { keyLimitOf, TenantLimits } from "./hard-limits.ts";

export const LIMIT_SCOPES: readonly LimitScope[] = ["tenant", "key"];

/** Finds the limits of a tenant and of a key. */
export function createSubjectLimits() {
  const tenants = new WeakMap<Entitlement, TenantLimits>();

  function limitsOf(subject: Subject): TenantLimits {
    const known = tenants.get(subject.tenant);
    if (known !== undefined && known.periodStartMs === subject.periodStartMs) {
      return known;
    }
    const fresh = new TenantLimits(subject);
    tenants.set(subject.tenant, fresh);
    return fresh;
  }

  function tenantOwner(subject: Subject): string {
    return limitsOf(subject).ownerOf(subject.key.environment);
  }

  function tenantLimitOf(subject: Subject, meterId: string): HardLimit | undefined {
    return limitsOf(subject).hardLimitOf(subject.key.environment, meterId);
  }

  function concurrencyOf(subject: Subject, scope: LimitScope): ConcurrencyLimit | undefined {
    const { tenant, key } = subject;
    const limit = (scope === "tenant" ? tenant.terms : key).concurrency ?? undefined;
    return limit === undefined
      ? undefined
      : { owner: scope === "tenant" ? tenantOwner(subject) : key.originKeyId, limit };
  }

  function quotasOf(subject: Subject, meterId: string, nowMs: number) {
    return [tenantLimitOf(subject, meterId), keyLimitOf(subject, meterId, nowMs)];
  }

  return { tenantOwner, tenantLimitOf, concurrencyOf, quotasOf };
}

export type SubjectLimits = ReturnType<typeof createSubjectLimits>;
