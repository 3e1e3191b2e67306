import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import { findBillingRefusal } from "#components/billing/billing-refusal.view-model.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import {
  type BillingPlace,
  type Invoice,
  paymentSetupQuery,
  refreshBilling,
} from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { formatMoney, isZero } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { BankFacts } from "./bank-facts.tsx";
import { type Collection, isUnderWay, paymentsQueries } from "./payments.queries.ts";
import { describeAttempt } from "./payments.view-model.ts";
import { toReturnPath } from "./to-return-path.ts";

export type PayCardProps = { tenant: OwnTenant; place: BillingPlace; invoice: Invoice };

/** How an open invoice is paid: now, by itself or by transfer, what was tried, and what follows when it is not. */
export function PayCard({ tenant, place, invoice }: PayCardProps) {
  const collection = useQuery(paymentsQueries.collection(usePlatform().api, invoice));
  const { data } = collection;
  if (data === undefined) {
    return collection.isError ? (
      <Card title={t`To pay`}>
        <FailureNotice
          what={t`How this invoice is paid could not be loaded.`}
          cause={collection.error}
          onRetry={() => void collection.refetch()}
        />
      </Card>
    ) : (
      <div role="status" aria-label={t`Loading how it is paid`}>
        <Skeleton className="h-32 w-full rounded-card" />
      </div>
    );
  }
  if (isZero(data.due)) {
    return null;
  }
  return (
    <Card title={t`To pay`}>
      <p className="font-semibold text-xl tabular-nums">{formatMoney(data.due, data.currency)}</p>
      <p className="text-ink-muted">
        {data.attempts.some(isUnderWay)
          ? t`A payment is being processed.`
          : t`To pay by ${formatDate(invoice.dueAt)}${data.isAutomatic ? t`. It is collected by itself.` : "."}`}
      </p>
      <PayNow tenant={tenant} place={place} invoice={invoice} collection={data} />
      {data.bank !== null && !data.isAutomatic && (
        <BankFacts bank={data.bank} reference={data.reference} />
      )}
      <Attempts collection={data} />
      <Calendar collection={data} isSandbox={place.environment === "test"} />
    </Card>
  );
}

function PayNow({ tenant, place, invoice, collection }: PayCardProps & { collection: Collection }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const setup = useQuery(paymentSetupQuery(api, place));
  const refusal = findBillingRefusal(tenant, t`pay invoices`);
  const returnPath = toReturnPath(place, invoice.invoiceId);
  const pay = useMutation({
    mutationKey: ["billing", "pay"],
    mutationFn: () =>
      api.payments.payInvoice({
        tenantId: place.tenantId,
        invoiceId: invoice.invoiceId,
        returnPath,
      }),
    onSuccess: async ({ attempt, url }) => {
      if (url !== null) {
        window.location.assign(url);
        return;
      }
      if (attempt.state === "succeeded") {
        toast.success(t`Invoice ${invoice.number} is paid.`);
      }
      await refreshBilling(client, place);
    },
  });
  const payOnce = useSubmitOnce(pay.mutateAsync, "settled");
  const setUp = useMutation({
    mutationKey: ["billing", "set-up-method"],
    mutationFn: () => api.payments.setUpPaymentMethod({ ...place, returnPath }),
    onSuccess: ({ url }) => url !== null && window.location.assign(url),
  });
  const { data } = setup;
  if (data === undefined || (data.method === null && !data.canSetUp)) {
    return null;
  }
  if (refusal !== undefined) {
    return <p className="mt-2 text-ink-muted text-xs">{refusal}</p>;
  }
  const failed = pay.error ?? setUp.error;
  const refused = pay.data?.attempt.state === "failed" ? pay.data.attempt.message : undefined;
  return (
    <div className="mt-3">
      {data.method === null ? (
        <Button
          look="primary"
          progress={setUp.isPending || setUp.isSuccess ? t`Opening…` : undefined}
          onClick={() => setUp.mutate()}
        >
          <Trans>Add payment method and pay</Trans>
        </Button>
      ) : (
        <Button
          look="primary"
          progress={pay.isPending || pay.data?.url ? t`Paying…` : undefined}
          disabled={collection.attempts.some(isUnderWay)}
          onClick={() => payOnce(undefined)}
        >
          <Trans>Pay {formatMoney(collection.due, collection.currency)} now</Trans>
        </Button>
      )}
      {(failed !== null || refused !== undefined) && (
        <p role="alert" className="mt-2 text-danger">
          {failed === null
            ? refused === undefined || refused === null
              ? t`The payment was refused.`
              : inLanguage(refused)
            : toErrorMessage(failed)}
        </p>
      )}
    </div>
  );
}

function Attempts({ collection: { attempts } }: { collection: Collection }) {
  if (attempts.length === 0) {
    return null;
  }
  return (
    <>
      <h3 className="mt-4 font-medium">
        <Trans>Attempts</Trans>
      </h3>
      <ul className="mt-1 space-y-1 text-ink-muted text-xs">
        {attempts.toReversed().map((attempt) => (
          <li key={attempt.attemptId} className="[overflow-wrap:anywhere]">
            {describeAttempt(attempt)}
          </li>
        ))}
      </ul>
    </>
  );
}

function sayStop({ isBlocked, isSandbox }: { isBlocked: boolean; isSandbox: boolean }): string {
  if (isSandbox) {
    return t`calls of a live subscription would stop. The sandbox denies none.`;
  }
  return isBlocked ? t`calls were stopped.` : t`calls stop.`;
}

/** What happens while the invoice is not paid, and from when calls stop. */
function Calendar({
  collection: { calendar },
  isSandbox,
}: {
  collection: Collection;
  isSandbox: boolean;
}) {
  if (calendar === null) {
    return null;
  }
  const isBlocked = calendar.standing === "blocked";
  return (
    <>
      <h3 className="mt-4 flex items-center gap-2 font-medium">
        <Trans>If it is not paid</Trans>
        {isBlocked && !isSandbox && (
          <Badge tone="danger">
            <Trans>Calls are denied</Trans>
          </Badge>
        )}
      </h3>
      <ol className="mt-1 space-y-1">
        {calendar.nextAttempts.map((at) => (
          <li key={at} className="text-ink-muted">
            <Trans>{formatDate(at)}: the payment is tried again.</Trans>
          </li>
        ))}
        {calendar.nextReminders.map((at) => (
          <li key={at} className="text-ink-muted">
            <Trans>{formatDate(at)}: you are reminded.</Trans>
          </li>
        ))}
        <li className={isBlocked ? "text-danger" : "font-medium"}>
          {formatDate(calendar.blockedFrom)}: {sayStop({ isBlocked, isSandbox })}
        </li>
      </ol>
      <p className="mt-2 text-ink-muted text-xs">{calendar.texts.map(inLanguage).join(" ")}</p>
    </>
  );
}
