import type { AnswerMeasure } from "@turnpike/contract/questions";
import { said } from "@turnpike/domain/text/said";
import type { NamedVocabulary } from "./named-vocabulary.ts";

type Described = readonly [title: string, unit: AnswerMeasure["unit"]];

/** What measures are called in answers. */
const MEASURES: Readonly<Record<string, Described>> = {
  requests: [said("Requests"), "count"],
  errors: [said("Errors"), "count"],
  error_rate: [said("Error rate"), "share"],
  denied: [said("Denied calls"), "count"],
  rate_limited: [said("Rate-limited calls"), "count"],
  latency_avg: [said("Average latency"), "milliseconds"],
  latency_p50: [said("Median latency"), "milliseconds"],
  latency_p95: [said("p95 latency"), "milliseconds"],
  latency_p99: [said("p99 latency"), "milliseconds"],
  bytes_in: [said("Received"), "bytes"],
  bytes_out: [said("Sent"), "bytes"],
  spend: [said("Spend"), "money"],
  revenue: [said("Revenue"), "money"],
  mrr: [said("Monthly recurring revenue"), "money"],
  tenants: [said("Tenants"), "count"],
  active_tenants: [said("Active tenants"), "count"],
  new_tenants: [said("New tenants"), "count"],
  active_keys: [said("Active keys"), "count"],
  keys_created: [said("Keys created"), "count"],
  keys_revoked: [said("Keys revoked"), "count"],
  invoices: [said("Invoices"), "count"],
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
