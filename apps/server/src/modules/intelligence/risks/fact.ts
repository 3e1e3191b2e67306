import type { FoundInsight } from "../found-insight.ts";

type Fact = Omit<FoundInsight, "facts" | "isOver"> &
  Pick<FoundInsight["facts"], "text" | "action"> & {
    /** Left out: a fact is counted, not judged. */
    confidence?: number;
  };

export function toFound({ text, action, confidence = 1, ...fact }: Fact): FoundInsight {
  return { ...fact, isOver: false, facts: { text, confidence, evidence: null, action } };
}

/** "key_…", or "key_… and key_…", or the first ones of many. */
export function joinNames(names: readonly string[], shownMax = 3): string {
  const hidden = names.length - shownMax;
  if (hidden > 0) {
    return `${names.slice(0, shownMax).join(", ")} and ${String(hidden)} more`;
  }
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
