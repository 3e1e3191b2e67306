import type { PlanTerms } from "../catalog/plan.ts";
import type { TenantId } from "../ids/ids.ts";
import type { PeriodUnit } from "../time/period.ts";
import type { Standing } from "./standing.ts";

/** Terms of a plan that one tenant has differently. A list that is given replaces the plan's whole list. */
export type TermsOverrides = Partial<Pick<PlanTerms, "rateLimits" | "quotas" | "concurrency">>;

/** A limit in money on what a tenant uses: a spend cap, or the credit of a prepaid plan. Leases keep to it. */
export type EntitledSpend = {
  /** Minor units, as decimal text; null for credit alone. */
  cap: string | null;
  currency: string;
  /** Meters with a price: their units are spent from leases, whether they have a hard limit or not. */
  meters: readonly string[];
  /** When the limit was last changed, epoch milliseconds. */
  changedAtMs: number;
};

/** What a tenant may do now. */
export type Entitlement = {
  tenantId: TenantId;
  /** True when the operator has suspended the tenant. */
  suspended: boolean;
  /** True while it is moved to another cell. Left out: it is not. */
  isMoving?: boolean | undefined;
  standing: Standing;
  planId: string;
  planVersion: number;
  /** The plan's terms with the tenant's overrides applied. */
  terms: PlanTerms;
  /** Start of one billing period, UTC, and how long each one is: see `period` in `time/period.ts`. */
  periodAnchor: Date;
  periodUnit: PeriodUnit;
  /** Undefined without a cap and without a prepaid plan. */
  spendCap?: EntitledSpend | undefined;
  /** The same for test keys: without a prepaid plan in the sandbox, undefined. */
  sandboxSpend?: EntitledSpend | undefined;
};
