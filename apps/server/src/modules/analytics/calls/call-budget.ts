import type { TenantId } from "@turnpike/domain/ids/ids";
import { ADMITTED_OUTCOMES, type Outcome } from "@turnpike/domain/metering/outcome";

/** Calls that one process, or each of its threads, keeps in a minute: of a tenant, and of all of them. */
export const KEPT_A_MINUTE = { ofTenant: 600, ofAll: 3_000 };

const ADMITTED: ReadonlySet<Outcome> = new Set(ADMITTED_OUTCOMES);

type Kind = "answered" | "failed";

/**
 * Decides which calls are kept: the first ones of each minute. Those that failed or were refused have as much room of their own,
 * because they are the ones that are looked for, and they may be few among many that were answered.
 */
export class CallBudget {
  #minuteMs = 0;
  readonly #ofTenants: Record<Kind, Map<TenantId, number>> = {
    answered: new Map(),
    failed: new Map(),
  };
  readonly #ofAll: Record<Kind, number> = { answered: 0, failed: 0 };

  /** @returns False when there is no room in this minute. */
  take(call: { tenantId: TenantId; outcome: Outcome; status: number }, minuteMs: number): boolean {
    if (minuteMs !== this.#minuteMs) {
      this.#begin(minuteMs);
    }
    const kind = call.status >= 500 || !ADMITTED.has(call.outcome) ? "failed" : "answered";
    const taken = this.#ofTenants[kind].get(call.tenantId) ?? 0;
    if (taken >= KEPT_A_MINUTE.ofTenant || this.#ofAll[kind] >= KEPT_A_MINUTE.ofAll) {
      return false;
    }
    this.#ofTenants[kind].set(call.tenantId, taken + 1);
    this.#ofAll[kind] += 1;
    return true;
  }

  #begin(minuteMs: number): void {
    this.#minuteMs = minuteMs;
    for (const kind of ["answered", "failed"] as const) {
      this.#ofTenants[kind].clear();
      this.#ofAll[kind] = 0;
    }
  }
}
