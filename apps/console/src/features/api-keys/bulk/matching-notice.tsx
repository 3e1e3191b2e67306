import { BULK_KEYS_MAX } from "@turnpike/domain/keys/bulk-keys-max";
import { Button } from "@turnpike/ui/button";
import { toFailureReason } from "../failure-reason.ts";
import { countKeys } from "./bulk-change.view-model.ts";
import type { MatchingKeys } from "./use-matching-keys.ts";

export type MatchingNoticeProps = {
  /** What is chosen on all pages; undefined while only keys of this page are. */
  found: MatchingKeys | undefined;
  pageCount: number;
  isSearching: boolean;
  error: Error | null;
  onSearch: () => void;
  /** Chooses this page alone again. */
  onNarrow: () => void;
};

/**
 * Says that a choice is of one page alone, and widens it to all pages, or that it is of all, and narrows it. The button is
 * one and the same, so that the focus stays where it was pressed.
 */
export function MatchingNotice(props: MatchingNoticeProps) {
  const { found, error } = props;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {/* A phone has place for what can be done, and counts beside it what is chosen. */}
      <p
        role={error === null ? "status" : "alert"}
        className={error === null ? "max-md:sr-only" : undefined}
      >
        {found !== undefined
          ? toFoundText(found)
          : error === null
            ? `All ${countKeys(props.pageCount)} on this page are selected; there are more.`
            : `The other pages could not be loaded: ${toFailureReason(error)}`}
      </p>
      <Button
        size="small"
        progress={props.isSearching ? "Selecting…" : undefined}
        onClick={found === undefined ? props.onSearch : props.onNarrow}
      >
        {found === undefined
          ? `Select all matches, up to ${String(BULK_KEYS_MAX)}`
          : "Select this page only"}
      </Button>
    </div>
  );
}

function toFoundText({ keys, isCut }: MatchingKeys): string {
  return isCut
    ? `The first ${countKeys(keys.length)} that match are selected, the most one change can take. Filter to reach the others.`
    : `All ${countKeys(keys.length)} that match are selected, across all pages.`;
}
