import type { RateLimit } from "../limits/rate-limit.ts";
import type { MeterDefinition } from "./meter.ts";
import type { PlanPhaseTerms } from "./plan-phase.ts";

/** A cap of one meter for one billing period. */
export type Quota = {
  meter: string;
  /** Whole units of the meter in one billing period, 0 or more. */
  limit: number;
  /** `hard` refuses usage beyond the limit; `soft` records it, to be charged. */
  kind: "hard" | "soft";
};

/** What a version of a plan promises. Versions never change; a new promise is a new version. */
export type PlanTerms = {
  name: string;
  description: string;
  /** ISO 4217. */
  currency: string;
  /**
   * Price of one period in major units, as a decimal string: "0", "49", "49.90". Of a plan with phases: what the fees of its last
   * phase come to in a month.
   */
  pricePerMonth: string;
  /** `public` plans are shown to everyone; only the operator assigns `private` ones. */
  visibility: "public" | "private";
  rateLimits: readonly RateLimit[];
  /** Of a plan with phases: those of its first phase. */
  quotas: readonly Quota[];
  /** What it costs and entitles to, phase by phase; undefined for a plan of `pricePerMonth` and `quotas` alone. */
  phases?: PlanPhaseTerms[] | undefined;
  /** True for a plan that is only bought beside another one; undefined for no. */
  isAddOn?: boolean | undefined;
  /** True for a plan whose usage draws on the customer's credit as calls happen, and stops when none is left; undefined for no. */
  isPrepaid?: boolean | undefined;
  /** Calls of a tenant through the gateway that may be under way at once; undefined, or null in an override, for no limit. */
  concurrency?: number | null | undefined;
  /** Scopes of the operator's own API that keys of the plan may have; undefined for none. */
  scopes?: readonly string[] | undefined;
};

/** The meter that the gateway and verification count: one unit for each billable call. */
export const REQUESTS_METER = "requests";

export type Catalog = {
  meters: readonly MeterDefinition[];
  plans: readonly (PlanTerms & { planId: string })[];
  /** The plan that a new tenant gets. */
  defaultPlanId: string;
};

/** The catalogue of an installation without its own: enough to try every kind of limit. */
export const SAMPLE_CATALOG: Catalog = {
  meters: [
    {
      meterId: REQUESTS_METER,
      name: "Requests",
      unit: "request",
      aggregation: "count",
    },
  ],
  defaultPlanId: "free",
  plans: [
    {
      planId: "free",
      name: "Free",
      description: "To try the API and for small projects.",
      currency: "USD",
      pricePerMonth: "0",
      visibility: "public",
      rateLimits: [{ name: "per-second", limit: 10, windowSeconds: 1 }],
      concurrency: 20,
      quotas: [{ meter: REQUESTS_METER, limit: 50_000, kind: "hard" }],
    },
    {
      planId: "pro",
      name: "Pro",
      description: "For products in production.",
      currency: "USD",
      pricePerMonth: "49",
      visibility: "public",
      rateLimits: [{ name: "per-second", limit: 100, windowSeconds: 1 }],
      concurrency: 100,
      quotas: [{ meter: REQUESTS_METER, limit: 1_000_000, kind: "soft" }],
    },
    {
      planId: "scale",
      name: "Scale",
      description: "For heavy traffic.",
      currency: "USD",
      pricePerMonth: "499",
      visibility: "public",
      rateLimits: [{ name: "per-second", limit: 1_000, windowSeconds: 1 }],
      quotas: [{ meter: REQUESTS_METER, limit: 20_000_000, kind: "soft" }],
    },
  ],
};
