import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { diffPlans } from "@turnpike/domain/catalog/diff/diff-plans";
import { Button } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { ChangeList } from "./change-list.tsx";
import type { StoredDraft } from "./editor.queries.ts";
import { type EditedTerms, toEditedTerms, toFullTerms } from "./plan-draft.view-model.ts";

export type ConflictNoticeProps = {
  /** What is stored now; null when the draft was published or discarded. */
  theirs: StoredDraft | null;
  mine: EditedTerms;
  progress: string | undefined;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
};

/** Shows both drafts when someone else stored one meanwhile: theirs, and what one's own changes of it. */
export function ConflictNotice(props: ConflictNoticeProps) {
  const { theirs, mine } = props;
  return (
    <section
      role="alert"
      aria-label={t`Two drafts`}
      className="rounded-card border border-warning/40 bg-warning-soft px-4 py-3"
    >
      <p className="font-medium text-warning">
        {theirs === null
          ? t`This draft was published or discarded meanwhile.`
          : t`Someone else changed this draft meanwhile.`}
      </p>
      {theirs !== null && (
        <>
          <p className="mt-1">
            <Trans>
              Theirs is by {theirs.updatedBy}, <RelativeTime at={theirs.updatedAt} />. Nothing of
              yours was stored, and nothing is lost. Yours differs from theirs in:
            </Trans>
          </p>
          <div className="mt-2">
            <ChangeList
              label={t`How yours differs from theirs`}
              changes={diffPlans(toFullTerms(toEditedTerms(theirs.terms)), toFullTerms(mine))}
              empty={t`Nothing: both say the same.`}
            />
          </div>
        </>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button progress={props.progress} onClick={props.onKeepMine}>
          {theirs === null ? t`Store mine as a new draft` : t`Keep mine`}
        </Button>
        {theirs !== null && (
          <Button onClick={props.onTakeTheirs}>
            <Trans>Take theirs</Trans>
          </Button>
        )}
      </div>
    </section>
  );
}
