import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { formatMoney } from "#platform/format-money.ts";
import type { ReceivedPayment } from "./payments.queries.ts";
import { usePaymentChange } from "./use-payment-change.ts";

type Refund = ReceivedPayment["refunds"][number];

/** Refunds of a transfer that the operator has to send. */
export function listWaitingRefunds({ provider, refunds }: ReceivedPayment): readonly Refund[] {
  return provider === "manual" ? refunds.filter(({ state }) => state === "processing") : [];
}

/** A refund that has to be transferred by hand, until the operator says how that ended. */
export function WaitingRefund({ refund, currency }: { refund: Refund; currency: string }) {
  const amount = formatMoney(refund.amount, currency);
  const { mutation, submit } = usePaymentChange({
    change: (payments, state: "succeeded" | "failed") =>
      payments.settleRefund({ refundId: refund.refundId, state }),
    toSuccess: ({ refunds }) =>
      refunds.find(({ refundId }) => refundId === refund.refundId)?.state === "failed"
        ? t`The refund of ${amount} is put back.`
        : t`The refund of ${amount} is transferred.`,
  });
  return (
    <span className="mt-1 flex flex-wrap items-center justify-end gap-x-2 gap-y-1">
      <span className="text-ink-muted text-xs">
        <Trans>{amount} to be transferred</Trans>
      </span>
      <Button
        size="small"
        progress={mutation.isPending ? t`Saving…` : undefined}
        onClick={() => submit("succeeded")}
      >
        <Trans>Transferred</Trans>
      </Button>
      <Button
        size="small"
        look="quiet"
        disabled={mutation.isPending}
        onClick={() => submit("failed")}
      >
        <Trans>Put back</Trans>
      </Button>
    </span>
  );
}
