import type { AnswerMeasure } from "@turnpike/contract/questions";
import type { NamedVocabulary } from "./named-vocabulary.ts";

type Described = readonly [title: string, unit: AnswerMeasure["unit"]];

/** What measures are called in answers. */
const MEASURES: Readonly<Record<string, Described>> = {
  requests: ["Requests", "count"],
  errors: ["Errors", "count"],
  error_rate: ["Error rate", "share"],
  denied: ["Denied calls", "count"],
  rate_limited: ["Rate-limited calls", "count"],
  latency_avg: ["Average latency", "milliseconds"],
  latency_p50: ["Median latency", "milliseconds"],
  latency_p95: ["p95 latency", "milliseconds"],
  latency_p99: ["p99 latency", "milliseconds"],
  bytes_in: ["Received", "bytes"],
  bytes_out: ["Sent", "bytes"],
  spend: ["Spend", "money"],
  revenue: ["Revenue", "money"],
  mrr: ["Monthly recurring revenue", "money"],
  tenants: ["Tenants", "count"],
  active_tenants: ["Active tenants", "count"],
  new_tenants: ["New tenants", "count"],
  active_keys: ["Active keys", "count"],
  keys_created: ["Keys created", "count"],
  keys_revoked: ["Keys revoked", "count"],
  invoices: ["Invoices", "count"],
};

/** The measures that every tenant's questions may name. */
export const TENANT_MEASURES = Object.keys(MEASURES).filter(
  (name) => !/^(?:revenue|mrr|tenants|active_tenants|new_tenants)$/.test(name),
);

/** Names a measure and its unit for readers. A measure that is not built in is a meter. */
export function describeMeasure(vocabulary: NamedVocabulary, name: string): AnswerMeasure {
  const [title, unit] = MEASURES[name] ?? [];
  const meter = vocabulary.meters.get(name);
  return title === undefined || unit === undefined
    ? { name, title: meter?.name ?? name, unit: "units", unitName: meter?.unit ?? null }
    : { name, title, unit, unitName: null };
}
