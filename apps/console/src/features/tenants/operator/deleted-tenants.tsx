import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import Trash2 from "lucide-react/icons/trash-2";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { type DeletedTenant, operatorQueries } from "../tenants.queries.ts";
import type { OperatorProps } from "./operator-props.ts";
import { useRestoreTenant } from "./use-restore-tenant.ts";

/** Deleted tenants, which the operator can restore for 30 days. */
export function DeletedTenants({ search, onSearchChange }: OperatorProps) {
  const { api } = usePlatform();
  const { cursor } = search;
  const tenants = useQuery({
    ...operatorQueries.deletedTenants(api, cursor),
    placeholderData: keepPreviousData,
  });
  const trail = useCursorTrail({
    cursor,
    nextCursor: tenants.data?.nextCursor,
    onCursorChange: (next) =>
      onSearchChange({
        state: "deleted",
        ...(next === undefined ? {} : { cursor: next }),
      }),
  });
  const [asked, setAsked] = useState<DeletedTenant>();
  if (tenants.isError && tenants.data === undefined) {
    return (
      <FailureNotice
        what={t`The deleted tenants could not be loaded.`}
        cause={tenants.error}
        onRetry={() => void tenants.refetch()}
      />
    );
  }
  return (
    <>
      <DataTable
        label={t`Deleted tenants`}
        columns={toColumns(setAsked)}
        rows={tenants.data?.items}
        getRowId={({ tenantId }) => tenantId}
        getRowName={({ name }) => name}
        isStale={tenants.isPlaceholderData}
        empty={
          <EmptyState icon={<Trash2 />} title={t`No deleted tenants`}>
            <Trans>
              Owners can delete their tenant in its settings. You can restore it here for 30 days.
            </Trans>
          </EmptyState>
        }
        footer={
          <PageFooter
            trail={trail}
            count={tenants.data?.items.length}
            noun={[t`deleted tenant`, t`deleted tenants, newest first`]}
          />
        }
      />
      {asked !== undefined && <RestoreDialog tenant={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function toColumns(onRestore: (tenant: DeletedTenant) => void): readonly Column<DeletedTenant>[] {
  return [
    {
      id: "tenant",
      header: t`Tenant`,
      phone: "title",
      cell: ({ name, slug }) => (
        <div className="min-w-0">
          <p className="font-medium [overflow-wrap:anywhere]">{name}</p>
          <p className="font-mono font-normal text-ink-muted text-xs [overflow-wrap:anywhere]">
            {slug}
          </p>
        </div>
      ),
    },
    {
      id: "deleted",
      header: t`Deleted`,
      className: "md:w-36",
      cell: ({ deletedAt }) => <RelativeTime at={deletedAt} isFocusable={false} />,
    },
    {
      id: "until",
      header: t`Data removed`,
      className: "md:w-44",
      cell: ({ purgedAt, restorableUntil }) => (
        <RelativeTime at={purgedAt ?? restorableUntil} isFocusable={false} />
      ),
    },
    {
      id: "restore",
      header: t`Restore`,
      className: "md:w-36",
      cell: (tenant) =>
        tenant.purgedAt === null ? (
          <Button onClick={() => onRestore(tenant)} aria-label={t`Restore ${tenant.name}…`}>
            <Trans>Restore…</Trans>
          </Button>
        ) : (
          <span className="text-ink-muted">
            <Trans>Too late</Trans>
          </span>
        ),
    },
  ];
}

function RestoreDialog({ tenant, onClose }: { tenant: DeletedTenant; onClose: () => void }) {
  const restore = useRestoreTenant();
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t`Restore ${tenant.name}?`}
      description={t`Its members regain access within a second, with settings, alerts and files. Its keys stay revoked and its webhooks disabled: members create new keys and enable the webhooks they need.`}
      action={t`Restore tenant`}
      isDangerous={false}
      progress={restore.isPending ? t`Restoring…` : undefined}
      error={restore.isError ? toErrorMessage(restore.error) : undefined}
      onConfirm={() =>
        restore.mutate(tenant.tenantId, {
          onSuccess: ({ name }) => {
            toast.success(t`${name} is restored.`);
            onClose();
          },
        })
      }
    />
  );
}
