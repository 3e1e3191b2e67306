import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { CompactNumber } from "@turnpike/ui/compact-number";
import { DataTable } from "@turnpike/ui/data-table";
import { Dialog } from "@turnpike/ui/dialog";
import { EmptyState } from "@turnpike/ui/empty-state";
import { Skeleton } from "@turnpike/ui/skeleton";
import Gauge from "lucide-react/icons/gauge";
import { useState } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery, type Meter } from "#platform/shared-queries.ts";
import type { PlansSearch } from "../plans-search.view-model.ts";
import { describeCounting, describeDimensions } from "./meter.view-model.ts";
import { MeterForm } from "./meter-form.tsx";
import { MeterSheet } from "./meter-sheet.tsx";
import { type MeterActivity, metersQueries } from "./meters.queries.ts";

export type MetersTabProps = {
  search: PlansSearch;
  onSearchChange: (search: PlansSearch) => void;
};

/** The meter whose form is open; `new` for one that does not exist yet. */
type Edited = Meter | "new" | undefined;

function listColumns(
  activity: ReadonlyMap<string, MeterActivity> | undefined,
  hasFailed: boolean,
): readonly Column<Meter>[] {
  return [
    {
      id: "name",
      header: t`Meter`,
      phone: "title",
      cell: ({ name, meterId }) => (
        <div className="min-w-0">
          <p className="font-medium [overflow-wrap:anywhere]">{name}</p>
          <p className="font-mono font-normal text-ink-muted text-xs [overflow-wrap:anywhere]">
            {meterId}
          </p>
        </div>
      ),
    },
    {
      id: "counts",
      header: t`Counts`,
      cell: (meter) => (
        <div className="min-w-0">
          <p className="[overflow-wrap:anywhere]">{describeCounting(meter)}</p>
          <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">
            {meter.eventType === undefined ? (
              t`of calls`
            ) : (
              <>
                <Trans>of</Trans> <code className="font-mono">{meter.eventType}</code>
              </>
            )}
          </p>
        </div>
      ),
    },
    {
      id: "unit",
      header: t`Unit`,
      cell: ({ unit }) => <span className="[overflow-wrap:anywhere]">{unit}</span>,
    },
    {
      id: "dimensions",
      header: t`Dimensions`,
      cell: (meter) => (
        <span className="text-ink-muted [overflow-wrap:anywhere]">{describeDimensions(meter)}</span>
      ),
    },
    {
      id: "version",
      header: t`Version`,
      align: "end",
      cell: ({ version }) => version ?? "",
    },
    {
      id: "events",
      header: t`Events, 24 h`,
      align: "end",
      cell: ({ meterId, eventType }) => {
        if (eventType === undefined || hasFailed) {
          return <span className="text-ink-faint">–</span>;
        }
        return activity === undefined ? (
          <Skeleton className="ml-auto h-4 w-12" />
        ) : (
          <CompactNumber value={activity.get(meterId)?.events ?? 0} isFocusable={false} />
        );
      },
    },
  ];
}

/** The meters of calls and events, for operators. */
export function MetersTab({ search, onSearchChange }: MetersTabProps) {
  const { api } = usePlatform();
  const [edited, setEdited] = useState<Edited>();
  const catalog = useQuery(catalogQuery(api));
  const activity = useQuery(metersQueries.activity(api, false));
  const meters = catalog.data?.meters;
  const open = meters?.find(({ meterId }) => meterId === search.meter);
  const show = (meter: Meter | undefined) =>
    onSearchChange({ tab: "meters", ...(meter === undefined ? {} : { meter: meter.meterId }) });
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-ink-muted">
          <Trans>
            A meter turns calls, or events that your programs send, into a number, such as tokens or
            gigabytes. Plans limit it and charts show it.{" "}
            <DocsLink page="events">How events work</DocsLink>
          </Trans>
        </p>
        <Button look="primary" onClick={() => setEdited("new")}>
          <Trans>Create meter</Trans>
        </Button>
      </div>
      {activity.isError && activity.data === undefined && (
        <FailureNotice
          what={t`Recent activity could not be loaded.`}
          cause={activity.error}
          onRetry={() => void activity.refetch()}
        />
      )}
      {catalog.isError && catalog.data === undefined ? (
        <FailureNotice
          what={t`The meters could not be loaded.`}
          cause={catalog.error}
          onRetry={() => void catalog.refetch()}
        />
      ) : (
        <DataTable
          label={t`Meters`}
          columns={listColumns(activity.data, activity.isError && activity.data === undefined)}
          rows={meters}
          getRowId={({ meterId }) => meterId}
          getRowName={({ name }) => name}
          openRowId={search.meter}
          onRowOpen={show}
          empty={
            <EmptyState icon={<Gauge />} title={t`No meters yet`}>
              <Trans>
                Create one for what your customers use, try it on events, and limit it in a plan.{" "}
                <DocsLink page="events#meters">How meters count</DocsLink>
              </Trans>
            </EmptyState>
          }
        />
      )}
      <MeterSheet meter={open} onClose={() => show(undefined)} onChange={setEdited} />
      <MeterDialog
        edited={edited}
        onClose={() => setEdited(undefined)}
        onPublished={(meter) => {
          setEdited(undefined);
          show(meter);
        }}
      />
    </div>
  );
}

type MeterDialogProps = {
  edited: Edited;
  onClose: () => void;
  onPublished: (meter: Meter) => void;
};

function MeterDialog({ edited, onClose, onPublished }: MeterDialogProps) {
  const meter = edited === "new" ? undefined : edited;
  return (
    <Dialog
      isOpen={edited !== undefined}
      onClose={onClose}
      size="wide"
      title={meter === undefined ? t`Create a meter` : t`Change ${meter.name}`}
      description={
        meter === undefined
          ? t`It starts counting when it is published.`
          : t`A change creates a new version. Usage counted before does not change.`
      }
    >
      {edited !== undefined && <MeterForm meter={meter} onDone={onPublished} onCancel={onClose} />}
    </Dialog>
  );
}
