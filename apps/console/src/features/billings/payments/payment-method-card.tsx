import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { findBillingRefusal } from "#components/billing/billing-refusal.view-model.ts";
import { nameMethod } from "#components/billing/payment-method.view-model.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import {
  type BillingPlace,
  type PaymentMethod,
  type PaymentSetup,
  paymentSetupQuery,
  refreshBilling,
} from "#platform/billing-queries.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { BankFacts } from "./bank-facts.tsx";
import { describeExpiry } from "./payments.view-model.ts";
import { toReturnPath } from "./to-return-path.ts";

export type PaymentMethodCardProps = { tenant: OwnTenant; place: BillingPlace };

/** How invoices are paid by themselves, or where transfers go. */
export function PaymentMethodCard({ tenant, place }: PaymentMethodCardProps) {
  const setup = useQuery(paymentSetupQuery(usePlatform().api, place));
  const { data } = setup;
  if (data === undefined) {
    return setup.isError ? (
      <Card title={t`Payment method`}>
        <FailureNotice
          what={t`The payment method could not be loaded.`}
          cause={setup.error}
          onRetry={() => void setup.refetch()}
        />
      </Card>
    ) : (
      <div role="status" aria-label={t`Loading the payment method`}>
        <Skeleton className="h-32 w-full rounded-card" />
      </div>
    );
  }
  const { method, canSetUp, bank } = data;
  if (method === null && !canSetUp && bank === null) {
    return null;
  }
  return (
    <Card title={t`Payment method`}>
      {method === null ? <NoMethod setup={data} /> : <MethodFacts method={method} />}
      {(method !== null || canSetUp) && (
        <MethodActions tenant={tenant} place={place} setup={data} />
      )}
    </Card>
  );
}

function NoMethod({ setup: { canSetUp, bank } }: { setup: PaymentSetup }) {
  return (
    <>
      <p className="text-ink-muted">
        {canSetUp
          ? t`None yet. With one, each invoice is paid when it is issued.`
          : t`Invoices are paid by transfer. Each one shows the reference to use.`}
      </p>
      {!canSetUp && bank !== null && <BankFacts bank={bank} />}
    </>
  );
}

function MethodFacts({ method }: { method: PaymentMethod }) {
  const [nowMs] = useState(Date.now);
  const expiry = describeExpiry(method, nowMs);
  return (
    <>
      <p className="font-medium">{nameMethod(method)}</p>
      {expiry !== undefined && (
        <p className={expiry.isUrgent ? "mt-1 text-warning" : "mt-1 text-ink-muted"}>
          {expiry.text}
        </p>
      )}
      <p className="mt-1 text-ink-muted">
        <Trans>Each invoice is paid with it when it is issued.</Trans>
      </p>
    </>
  );
}

function MethodActions({
  tenant,
  place,
  setup: { method, canSetUp },
}: PaymentMethodCardProps & { setup: PaymentSetup }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [isRemoving, setIsRemoving] = useState(false);
  const refusal = findBillingRefusal(tenant, t`change how invoices are paid`);
  const setUp = useMutation({
    mutationKey: ["billing", "set-up-method"],
    mutationFn: () =>
      api.payments.setUpPaymentMethod({ ...place, returnPath: toReturnPath(place) }),
    onSuccess: ({ url }) => url !== null && window.location.assign(url),
  });
  const remove = useMutation({
    mutationKey: ["billing", "remove-method"],
    mutationFn: () => api.payments.removePaymentMethod(place),
    onSuccess: async () => {
      setIsRemoving(false);
      await refreshBilling(client, place);
    },
  });
  if (refusal !== undefined) {
    return <p className="mt-3 text-ink-muted text-xs">{refusal}</p>;
  }
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {canSetUp && (
        <Button
          progress={setUp.isPending || setUp.isSuccess ? t`Opening…` : undefined}
          onClick={() => setUp.mutate()}
        >
          {method === null ? t`Add payment method` : t`Replace`}
        </Button>
      )}
      {method !== null && (
        <Button look="quiet" onClick={() => setIsRemoving(true)}>
          <Trans>Remove…</Trans>
        </Button>
      )}
      {setUp.isError && (
        <p role="alert" className="w-full text-danger">
          {toErrorMessage(setUp.error)}
        </p>
      )}
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setIsRemoving(false)}
        title={t`Remove the payment method?`}
        description={t`Nothing is paid by itself any more. Each invoice then has to be paid by its due date, and calls are denied when it is not.`}
        action={t`Remove method`}
        isDangerous
        progress={remove.isPending ? t`Removing…` : undefined}
        error={remove.isError ? toErrorMessage(remove.error) : undefined}
        onConfirm={() => remove.mutate()}
      />
    </div>
  );
}
