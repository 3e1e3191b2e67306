import { BULK_KEYS_MAX } from "@turnpike/domain/keys/bulk-keys-max";
import { Button } from "@turnpike/ui/button";
import { toErrorMessage } from "#platform/error-message.ts";
import { countKeys } from "./bulk-change.view-model.ts";
import type { MatchingKeys } from "./use-matching-keys.ts";

export type MatchingNoticeProps = {
  /** What is chosen on all pages; undefined while only keys of this page are. */
  found: MatchingKeys | undefined;
  pageCount: number;
  isSearching: boolean;
  error: Error | null;
  onSearch: () => void;
};

/** Says that a choice is of one page alone, and widens it to all pages. */
export function MatchingNotice(props: MatchingNoticeProps) {
  const { found, error } = props;
  if (found !== undefined) {
    return (
      <p>
        {found.isCut
          ? `The first ${countKeys(found.keys.length)} that match are chosen: a change takes no more. Filter for the others.`
          : `All ${countKeys(found.keys.length)} that match are chosen, on every page.`}
      </p>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <p role={error === null ? undefined : "alert"}>
        {error === null
          ? `All ${countKeys(props.pageCount)} of this page are chosen; there are more.`
          : `The other pages could not be loaded: ${toErrorMessage(error)}`}
      </p>
      <Button
        size="small"
        progress={props.isSearching ? "Selecting…" : undefined}
        onClick={props.onSearch}
      >
        Select all that match, up to {BULK_KEYS_MAX}
      </Button>
    </div>
  );
}
