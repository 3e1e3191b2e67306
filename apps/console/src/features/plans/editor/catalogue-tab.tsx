import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { EmptyState } from "@turnpike/ui/empty-state";
import Layers from "lucide-react/icons/layers";
import { lazy, Suspense, useState } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery } from "#platform/shared-queries.ts";
import { type CatalogueRow, toCatalogueRows } from "./catalogue-rows.view-model.ts";
import { DraftSkeleton } from "./draft-skeleton.tsx";
import { editorQueries } from "./editor.queries.ts";
import type { EditorProps } from "./editor-props.ts";
import { NewPlanDialog } from "./new-plan-dialog.tsx";
import { PlanMenu } from "./plan-menu.tsx";
import { PlanSheet } from "./plan-sheet.tsx";
import { SubscriberCount } from "./subscriber-count.tsx";

// The form comes with the billing engine, which prices what is typed.
const DraftPage = lazy(async () => ({ default: (await import("./draft-page.tsx")).DraftPage }));
const DraftsDialog = lazy(async () => ({
  default: (await import("./drafts/drafts-dialog.tsx")).DraftsDialog,
}));

const COLUMN_ROOM: ColumnRoom = [
  ["name", 200],
  ["state", 180],
  ["price", 140],
  ["subscribers", 110],
  ["version", 90],
];

/** The catalogue of an operator: every plan with its state, its versions and its draft. */
export function CatalogueTab({ place, onPlaceChange }: EditorProps) {
  if (place.plan !== undefined && place.isDraft) {
    const plan = place.plan;
    return (
      <Suspense fallback={<DraftSkeleton />}>
        <DraftPage
          key={plan}
          planId={plan}
          onLeave={() => onPlaceChange({ plan: undefined, isDraft: false })}
          onPublished={() => onPlaceChange({ plan, isDraft: false })}
        />
      </Suspense>
    );
  }
  return <CatalogueList place={place} onPlaceChange={onPlaceChange} />;
}

function CatalogueList({ place, onPlaceChange }: EditorProps) {
  const { api } = usePlatform();
  const catalog = useQuery(catalogQuery(api));
  const drafts = useQuery(editorQueries.drafts(api));
  const [isCreating, setIsCreating] = useState(false);
  const [isComparing, setIsComparing] = useState(false);
  const failed = [catalog, drafts].find((query) => query.isError && query.data === undefined);
  const rows =
    catalog.data === undefined || drafts.data === undefined
      ? undefined
      : toCatalogueRows(catalog.data.plans, drafts.data);
  const open = (plan: string | undefined, isDraft = false) => onPlaceChange({ plan, isDraft });
  const opened = rows?.find(({ planId }) => planId === place.plan);
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-ink-muted">
          <Trans>
            A change is drafted, compared and published as a new version. Subscribers keep the
            version they have. <DocsLink page="billing">How plans are priced</DocsLink>
          </Trans>
        </p>
        <div className="flex flex-wrap gap-2">
          {drafts.data?.some(({ isNew }) => !isNew) === true && (
            <Button onClick={() => setIsComparing(true)}>
              <Trans>Try all drafts</Trans>
            </Button>
          )}
          <Button look="primary" onClick={() => setIsCreating(true)}>
            <Trans>New plan</Trans>
          </Button>
        </div>
      </div>
      {failed !== undefined ? (
        <FailureNotice
          what={t`The catalogue could not be loaded.`}
          cause={failed.error}
          onRetry={() => void failed.refetch()}
        />
      ) : (
        <DataTable
          label={t`Catalogue`}
          columns={COLUMNS}
          columnRoom={COLUMN_ROOM}
          rows={rows}
          getRowId={({ planId }) => planId}
          getRowName={({ name }) => name}
          openRowId={place.plan}
          onRowOpen={({ planId, version }) => open(planId, version === undefined)}
          getRowActions={(row) => <PlanMenu row={row} onOpen={open} />}
          empty={
            <EmptyState
              icon={<Layers />}
              title={t`No plans yet`}
              action={
                <Button onClick={() => setIsCreating(true)}>
                  <Trans>New plan</Trans>
                </Button>
              }
            >
              <Trans>
                A plan says what calls cost and how many are allowed. Write one here, or apply a
                catalogue file.
              </Trans>
            </EmptyState>
          }
        />
      )}
      {isComparing && (
        <Suspense>
          <DraftsDialog onClose={() => setIsComparing(false)} />
        </Suspense>
      )}
      <PlanSheet row={opened} onClose={() => open(undefined)} onEdit={(plan) => open(plan, true)} />
      <NewPlanDialog
        isOpen={isCreating}
        taken={rows?.map(({ planId }) => planId) ?? []}
        onClose={() => setIsCreating(false)}
        onCreate={(planId) => {
          setIsCreating(false);
          open(planId, true);
        }}
      />
    </div>
  );
}

const COLUMNS: readonly Column<CatalogueRow>[] = [
  {
    id: "name",
    header: t`Plan`,
    phone: "title",
    cell: ({ name, planId, marks }) => (
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]">{name}</p>
        <p className="font-normal text-ink-muted text-xs [overflow-wrap:anywhere]">
          <span className="font-mono">{planId}</span>
          {marks.map((mark) => ` · ${mark}`)}
        </p>
      </div>
    ),
  },
  {
    id: "state",
    header: t`State`,
    cell: ({ states }) => (
      <span className="flex flex-wrap gap-1.5 max-md:justify-end">
        {states.map(({ label, tone }) => (
          <Badge key={label} tone={tone}>
            {label}
          </Badge>
        ))}
      </span>
    ),
  },
  { id: "version", header: t`Version`, align: "end", cell: ({ version }) => version ?? "–" },
  { id: "price", header: t`Fees`, align: "end", cell: ({ price }) => price ?? "–" },
  {
    id: "subscribers",
    header: t`Subscribers`,
    align: "end",
    cell: ({ planId, version }) =>
      version === undefined ? "–" : <SubscriberCount planId={planId} />,
  },
];
