import type { Insight } from "@turnpike/contract/insights";
import type { InsightFacts } from "./stored-insight.ts";

/** An insight as it was just found. The same fingerprint is the same cause. */
export type FoundInsight = {
  kind: Insight["kind"];
  fingerprint: string;
  sinceMs: number;
  isOver: boolean;
  facts: InsightFacts;
};
