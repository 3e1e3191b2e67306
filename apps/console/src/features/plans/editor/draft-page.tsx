import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { findPlanFaults } from "@turnpike/domain/billing/catalog/find-plan-faults";
import { diffPlans } from "@turnpike/domain/catalog/diff/diff-plans";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { FormErrors } from "@turnpike/ui/form-errors";
import { KeepPage, useUnsaved } from "@turnpike/ui/unsaved";
import ArrowLeft from "lucide-react/icons/arrow-left";
import { type KeyboardEvent, useEffect, useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery, type Meter, type Plan } from "#platform/shared-queries.ts";
import { toast } from "#platform/toast.ts";
import { ChangeList } from "./change-list.tsx";
import { ConflictNotice } from "./conflict-notice.tsx";
import { DraftSkeleton } from "./draft-skeleton.tsx";
import { editorQueries, type StoredDraft } from "./editor.queries.ts";
import {
  makePlanDraft,
  type PlanDraft,
  toEditedTerms,
  toFullTerms,
  toPlanDraft,
  toPlanTerms,
} from "./plan-draft.view-model.ts";
import { mergeFaults } from "./plan-faults.view-model.ts";
import { PlanForm } from "./plan-form.tsx";
import { PricePreview } from "./price-preview.tsx";
import { PublishDialog } from "./publish-dialog.tsx";
import { isConflict, NO_REVISION, usePlanDraft } from "./use-plan-draft.ts";

export type DraftPageProps = {
  planId: string;
  /** Back to the list. */
  onLeave: () => void;
  /** To the versions of the plan. */
  onPublished: () => void;
};

/** The draft of a plan: its form, what it costs, and what it changes. */
export function DraftPage(props: DraftPageProps) {
  const { api } = usePlatform();
  const catalog = useQuery(catalogQuery(api));
  const stored = useQuery({
    ...editorQueries.draft(api, props.planId),
    // What is typed is based on what was loaded first; saving finds out whether it is still so.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const failed = [catalog, stored].find((query) => query.isError && query.data === undefined);
  if (failed !== undefined) {
    return (
      <FailureNotice
        what={t`The draft could not be loaded.`}
        cause={failed.error}
        onRetry={() => void failed.refetch()}
      />
    );
  }
  if (catalog.data === undefined || stored.data === undefined) {
    return <DraftSkeleton />;
  }
  const { plans, meters } = catalog.data;
  const published = plans.find(({ planId }) => planId === props.planId);
  return (
    <KeepPage>
      <Editor
        {...props}
        key={props.planId}
        stored={stored.data}
        published={published}
        meters={meters}
        first={toFirstDraft(stored.data, published, plans[0]?.currency)}
      />
    </KeepPage>
  );
}

/** The stored draft, else the published plan, else an empty one in the currency of the other plans. */
function toFirstDraft(
  stored: StoredDraft | null,
  published: Plan | undefined,
  currency: string | undefined,
): PlanDraft {
  const terms = stored?.terms ?? published;
  return terms === undefined ? makePlanDraft(currency ?? "USD") : toPlanDraft(toEditedTerms(terms));
}

type EditorProps = DraftPageProps & {
  stored: StoredDraft | null;
  published: Plan | undefined;
  meters: readonly Meter[];
  first: PlanDraft;
};

function Editor(props: EditorProps) {
  const { planId, published, meters } = props;
  const editor = usePlanDraft(props);
  const { draft, save } = editor;
  const [isPublishing, setIsPublishing] = useState(false);
  // What it is compared with stays, also when the catalogue has the new version and the draft is gone.
  const [versionBefore] = useState(published?.version);
  const [isDiscarded, setIsDiscarded] = useState(false);
  useUnsaved(editor.isTyped && !isDiscarded);
  const { onLeave } = props;
  // The outside system is the address, which asks before what is typed is left: it is left once nothing is at stake.
  useEffect(() => {
    if (isDiscarded) {
      onLeave();
    }
  }, [isDiscarded, onLeave]);
  const terms = toPlanTerms(draft);
  const full = toFullTerms(terms);
  const faults = mergeFaults(
    editor.faults,
    findPlanFaults({ planId, terms: full, meters: [...meters] }),
  );
  const name = draft.name.trim() === "" ? planId : draft.name.trim();

  function store(after?: () => void): void {
    editor.store({
      onSuccess: (next) => {
        if (after === undefined) {
          toast.success(
            next.faults.length === 0
              ? t`The draft is saved.`
              : t`The draft is saved. It cannot be published yet.`,
          );
        } else if (next.faults.length === 0) {
          after();
        }
      },
    });
  }

  function askToPublish(): void {
    if (editor.isDirty) {
      store(() => setIsPublishing(true));
    } else {
      setIsPublishing(true);
    }
  }

  function saveByKey(event: KeyboardEvent): void {
    if (event.key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      store();
    }
  }

  return (
    <form
      noValidate
      aria-label={t`Draft of ${name}`}
      onKeyDown={saveByKey}
      onSubmit={(event) => {
        event.preventDefault();
        // Forms of dialogs are inside of this one for React, though not in the document.
        if (event.target === event.currentTarget) {
          store();
        }
      }}
    >
      <DraftHeader
        {...props}
        name={name}
        editor={editor}
        faults={faults.length}
        onPublish={askToPublish}
        onDiscarded={() => setIsDiscarded(true)}
      />
      <FormErrors
        title={save.isError && !isConflict(save.error) ? t`The draft was not saved.` : undefined}
        errors={save.isError ? [toErrorMessage(save.error)] : []}
      />
      <div className="mt-4 grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(17rem,1fr)]">
        <div className="min-w-0 space-y-4">
          {editor.conflict !== undefined && (
            <ConflictNotice
              theirs={editor.conflict.theirs}
              mine={terms}
              progress={save.isPending ? t`Saving…` : undefined}
              onKeepMine={editor.keepMine}
              onTakeTheirs={editor.takeTheirs}
            />
          )}
          <PlanForm
            draft={draft}
            isNew={published === undefined}
            meters={meters}
            faults={faults}
            onChange={editor.change}
          />
        </div>
        <div className="min-w-0 space-y-4 lg:sticky lg:top-18">
          <PricePreview source={{ planId, terms, meters }} />
          <Card
            title={
              published === undefined
                ? t`New plan`
                : t`Changes since version ${String(published.version)}`
            }
          >
            {published === undefined ? (
              <p className="text-ink-muted">
                <Trans>Customers see it once it is published.</Trans>
              </p>
            ) : (
              <ChangeList
                label={t`Changes since version ${String(published.version)}`}
                changes={diffPlans(toFullTerms(toEditedTerms(published)), full)}
                empty={t`None yet.`}
              />
            )}
          </Card>
        </div>
      </div>
      <PublishDialog
        isOpen={isPublishing}
        onClose={() => setIsPublishing(false)}
        planId={planId}
        name={name}
        version={versionBefore}
        publish={{
          ...editor.publish,
          mutate: (_, options) => editor.publish.mutate(undefined, options),
        }}
        onPublished={(version) => {
          toast.success(t`Version ${String(version.version)} of ${version.name} is published.`);
          props.onPublished();
        }}
      />
    </form>
  );
}

type DraftHeaderProps = EditorProps & {
  name: string;
  editor: ReturnType<typeof usePlanDraft>;
  faults: number;
  onPublish: () => void;
  onDiscarded: () => void;
};

function DraftHeader(props: DraftHeaderProps) {
  const { name, published, editor, faults } = props;
  const { save } = editor;
  const next = (published?.version ?? 0) + 1;
  const isSaving = save.isPending;
  return (
    <div className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <Button look="quiet" size="small" className="-ml-2.5" onClick={props.onLeave}>
          <ArrowLeft aria-hidden="true" className="size-3.5" />
          <Trans>Catalogue</Trans>
        </Button>
        <div className="mt-1 flex flex-wrap items-center gap-2">
          <h2 className="font-semibold text-lg [overflow-wrap:anywhere]">{name}</h2>
          <Badge tone="warning">{t`Draft of version ${String(next)}`}</Badge>
          <span role="status" className="text-ink-muted text-xs">
            {isSaving ? t`Saving…` : editor.isTyped ? t`Not saved yet` : ""}
          </span>
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        {editor.revision !== NO_REVISION && (
          <DiscardButton name={name} discard={editor.discard} onDone={props.onDiscarded} />
        )}
        <Button type="submit" progress={isSaving ? t`Saving…` : undefined}>
          <Trans>Save draft</Trans>
        </Button>
        <Button look="primary" disabled={faults > 0 || isSaving} onClick={props.onPublish}>
          <Trans>Publish…</Trans>
        </Button>
      </div>
    </div>
  );
}

type DiscardButtonProps = {
  name: string;
  discard: ReturnType<typeof usePlanDraft>["discard"];
  onDone: () => void;
};

function DiscardButton({ name, discard, onDone }: DiscardButtonProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setIsAsking(true)}>
        <Trans>Discard…</Trans>
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => {
          discard.reset();
          setIsAsking(false);
        }}
        title={t`Discard the draft of ${name}?`}
        description={t`What is published stays as it is.`}
        action={t`Discard draft`}
        progress={discard.isPending ? t`Discarding…` : undefined}
        error={discard.isError ? toErrorMessage(discard.error) : undefined}
        onConfirm={() => discard.mutate(undefined, { onSuccess: onDone })}
      />
    </>
  );
}
