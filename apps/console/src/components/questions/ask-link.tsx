import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";

export type AskLinkProps = {
  /** The question that the chart beside it answers, in plain English: one can ask on from there. */
  question: string;
  /** About all tenants, for operators. */
  isOfAll?: boolean;
};

/** Opens Ask with the question that a chart answers. */
export function AskLink({ question, isOfAll = false }: AskLinkProps) {
  return (
    <Link
      to="/ai-intelligence"
      search={{ ask: question, ...(isOfAll ? { of: "all" as const } : {}) }}
      className="text-ink-muted text-xs underline-offset-4 hover:text-ink hover:underline"
    >
      <Trans>Ask about this</Trans>
    </Link>
  );
}
