import { said } from "../text/said.ts";
import type { QuestionVocabulary } from "./question-vocabulary.ts";

const NAMES: Readonly<Record<string, string>> = {
  denied: "denied calls",
  rate_limited: "rate-limited calls",
  latency_avg: "average latency",
  latency_p50: "median latency",
  latency_p95: said("latency (p95)"),
  latency_p99: said("latency (p99)"),
  bytes_in: said("bytes received"),
  bytes_out: said("bytes sent"),
  mrr: "monthly recurring revenue",
};

/** A measure in words that the grammar reads as the same measure: “latency (p95)”. */
export function nameMeasure({ meters }: QuestionVocabulary, measure: string): string {
  const meter = meters.find(({ slug }) => slug === measure);
  return meter === undefined
    ? (NAMES[measure] ?? measure.replaceAll("_", " "))
    : (meter.name ?? meter.slug).toLowerCase();
}
