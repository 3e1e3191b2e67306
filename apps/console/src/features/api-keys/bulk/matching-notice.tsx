import { t } from "@lingui/core/macro";
import { BULK_KEYS_MAX } from "@turnpike/domain/keys/bulk-keys-max";
import { Button } from "@turnpike/ui/button";
import { toFailureReason } from "../failure-reason.ts";
import { countKeys } from "./bulk-change.view-model.ts";
import type { MatchingKeys } from "./use-matching-keys.ts";

export type MatchingNoticeProps = {
  /** The keys selected on all pages; undefined while only keys of this page are. */
  found: MatchingKeys | undefined;
  pageCount: number;
  isSearching: boolean;
  error: Error | null;
  onSearch: () => void;
  /** Selects only this page again. */
  onNarrow: () => void;
};

/**
 * Says whether the selection covers this page or all pages, and switches between the two. Both states share one button, so
 * that the focus stays on it.
 */
export function MatchingNotice(props: MatchingNoticeProps) {
  const { found, error } = props;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {/* Phones show only the button; the number of selected keys is next to it. */}
      <p
        role={error === null ? "status" : "alert"}
        className={error === null ? "max-md:sr-only" : undefined}
      >
        {found !== undefined
          ? toFoundText(found)
          : error === null
            ? t`All ${countKeys(props.pageCount)} on this page are selected; there are more.`
            : t`The other pages could not be loaded: ${toFailureReason(error)}`}
      </p>
      <Button
        size="small"
        progress={props.isSearching ? t`Selecting…` : undefined}
        onClick={found === undefined ? props.onSearch : props.onNarrow}
      >
        {found === undefined
          ? t`Select all matches, up to ${String(BULK_KEYS_MAX)}`
          : t`Select this page only`}
      </Button>
    </div>
  );
}

function toFoundText({ keys, isCut }: MatchingKeys): string {
  return isCut
    ? t`The first ${countKeys(keys.length)} that match are selected, the most one change can take. Filter to reach the others.`
    : t`All ${countKeys(keys.length)} that match are selected, across all pages.`;
}
