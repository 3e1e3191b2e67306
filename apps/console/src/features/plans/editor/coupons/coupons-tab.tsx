import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { DataTable } from "@turnpike/ui/data-table";
import type { ColumnRoom } from "@turnpike/ui/data-table-room";
import { Dialog } from "@turnpike/ui/dialog";
import { EmptyState } from "@turnpike/ui/empty-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import TicketPercent from "lucide-react/icons/ticket-percent";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { type Coupon, editorQueries } from "../editor.queries.ts";
import { describeDiscount, describeReach, describeRedemption } from "./coupon.view-model.ts";
import { CouponForm } from "./coupon-form.tsx";

const COLUMN_ROOM: ColumnRoom = [
  ["name", 180],
  ["state", 120],
  ["off", 180],
  ["redeem", 180],
  ["created", 120],
];

const COLUMNS: readonly Column<Coupon>[] = [
  {
    id: "name",
    header: t`Coupon`,
    phone: "title",
    cell: ({ name, couponId }) => (
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]">{name}</p>
        <p className="font-mono font-normal text-ink-muted text-xs [overflow-wrap:anywhere]">
          {couponId}
        </p>
      </div>
    ),
  },
  {
    id: "state",
    header: t`State`,
    cell: ({ archivedAt }) =>
      archivedAt === null ? (
        <Badge tone="ok">
          <Trans>Redeemable</Trans>
        </Badge>
      ) : (
        <Badge>
          <Trans>Archived</Trans>
        </Badge>
      ),
  },
  {
    id: "off",
    header: t`Gives`,
    cell: (coupon) => (
      <div className="min-w-0 tabular-nums">
        <p>{describeDiscount(coupon)}</p>
        <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">{describeReach(coupon)}</p>
      </div>
    ),
  },
  { id: "redeem", header: t`Can be redeemed`, cell: describeRedemption },
  {
    id: "created",
    header: t`Created`,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} isFocusable={false} />,
  },
];

/** The coupons that customers can redeem, for operators. */
export function CouponsTab() {
  const coupons = useQuery(editorQueries.coupons(usePlatform().api));
  const [isCreating, setIsCreating] = useState(false);
  const [asked, setAsked] = useState<Coupon>();
  const create = (
    <Button look="primary" onClick={() => setIsCreating(true)}>
      <Trans>Create coupon</Trans>
    </Button>
  );
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-ink-muted">
          <Trans>
            A coupon lowers invoices of those who redeem it. What it gives never changes; to stop
            it, archive it: it holds for those who have it.
          </Trans>
        </p>
        {create}
      </div>
      {coupons.isError && coupons.data === undefined ? (
        <FailureNotice
          what={t`The coupons could not be loaded.`}
          cause={coupons.error}
          onRetry={() => void coupons.refetch()}
        />
      ) : (
        <DataTable
          label={t`Coupons`}
          columns={COLUMNS}
          columnRoom={COLUMN_ROOM}
          rows={coupons.data}
          getRowId={({ couponId }) => couponId}
          getRowName={({ name }) => name}
          getRowActions={(coupon) =>
            coupon.archivedAt === null && (
              <Button
                size="small"
                look="quiet"
                aria-label={t`Archive ${coupon.name}`}
                onClick={() => setAsked(coupon)}
              >
                <Trans>Archive…</Trans>
              </Button>
            )
          }
          empty={
            <EmptyState icon={<TicketPercent />} title={t`No coupons yet`}>
              <Trans>
                Create one for a launch, a partner, or a customer whom you owe something.
              </Trans>
            </EmptyState>
          }
        />
      )}
      <Dialog
        isOpen={isCreating}
        onClose={() => setIsCreating(false)}
        size="wide"
        title={t`Create a coupon`}
        description={t`What it gives cannot be changed later.`}
      >
        <CouponForm onDone={() => setIsCreating(false)} />
      </Dialog>
      <ArchiveDialog coupon={asked} onClose={() => setAsked(undefined)} />
    </div>
  );
}

function ArchiveDialog({ coupon, onClose }: { coupon: Coupon | undefined; onClose: () => void }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const archive = useMutation({
    mutationKey: ["plan-editor", "archive-coupon"],
    mutationFn: (couponId: string) => api.catalog.archiveCoupon({ couponId }),
    onSuccess: async ({ name }) => {
      toast.success(t`${name} is archived.`);
      onClose();
      await client.invalidateQueries({ queryKey: editorQueries.coupons(api).queryKey });
    },
  });
  return (
    <ConfirmDialog
      isOpen={coupon !== undefined}
      onClose={() => {
        archive.reset();
        onClose();
      }}
      title={t`Archive ${coupon?.name ?? t`the coupon`}?`}
      description={t`It cannot be redeemed any more. It holds for those who have it, and does not come back.`}
      action={t`Archive coupon`}
      progress={archive.isPending ? t`Archiving…` : undefined}
      error={archive.isError ? toErrorMessage(archive.error) : undefined}
      onConfirm={() => coupon !== undefined && archive.mutate(coupon.couponId)}
    />
  );
}
