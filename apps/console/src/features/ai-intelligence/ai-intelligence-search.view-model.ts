/** The search parameters of `/ai-intelligence`. */
export type AiIntelligenceSearch = {
  /** The insight that a link, such as that of a mail, leads to. */
  insight?: string;
};

/** Keeps the search parameters that the page understands and drops the rest. */
export function parseAiIntelligenceSearch({
  insight,
}: Record<string, unknown>): AiIntelligenceSearch {
  return typeof insight === "string" && /^ins_[0-9a-f]{32}$/.test(insight) ? { insight } : {};
}
