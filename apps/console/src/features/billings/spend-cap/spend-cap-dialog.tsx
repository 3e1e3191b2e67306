import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { type BillingPlace, refreshBilling } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { parseShares } from "../parse-shares.ts";
import type { SpendCap } from "./spend-cap.queries.ts";

export type SpendCapDialogProps = {
  place: BillingPlace;
  cap: SpendCap;
  isOpen: boolean;
  onClose: () => void;
};

/** Sets or removes the customer's own cap. */
export function SpendCapDialog({ place, cap, isOpen, onClose }: SpendCapDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Spend cap`}
      description={t`The most that you spend in a billing period, fees included, before credits and tax. A higher cap counts at once; a lower one stops further calls, and what was used before stays charged.`}
    >
      <SpendCapForm place={place} cap={cap} onDone={onClose} />
    </Dialog>
  );
}

/** Per cent of the cap. */
const SHARES = { min: 1, max: 100 };

type Wanted = { amount: string; shares: string };

const POINTERS = { amount: "/amount", shares: "/shares" } as const;

function SpendCapForm({
  place,
  cap,
  onDone,
}: {
  place: BillingPlace;
  cap: SpendCap;
  onDone: () => void;
}) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = place;
  const [known] = useState<Wanted>({
    amount: cap.tenantCap ?? "",
    shares: cap.shares.join(", "),
  });
  const [draft, setDraft] = useState(known);
  useUnsaved(draft !== known);
  const change = useMutation({
    mutationKey: ["billing", "spend-cap"],
    mutationFn: (wanted: Wanted | undefined) =>
      wanted === undefined
        ? api.billing.deleteSpendCap({ tenantId })
        : api.billing.putSpendCap({
            tenantId,
            amount: wanted.amount.trim(),
            shares: parseShares(wanted.shares, SHARES) ?? [],
          }),
    onSuccess: async (_, wanted) => {
      toast.success(wanted === undefined ? t`The spend cap is removed.` : t`The spend cap is set.`);
      onDone();
      await refreshBilling(client, place);
    },
  });
  const submit = useSubmitOnce(change.mutateAsync, "failed");
  const failure = toFormFailure(change.error, POINTERS);
  const hasShares = parseShares(draft.shares, SHARES) !== undefined;
  return (
    <DialogForm
      onSubmit={() => submit(draft)}
      onCancel={onDone}
      action={t`Save`}
      progress={change.isPending ? t`Saving…` : undefined}
      isDisabled={draft.amount.trim() === "" || !hasShares}
      failure={t`Nothing was changed.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`At most in a period, in ${cap.currency}`}
        name="amount"
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
        value={draft.amount}
        error={failure?.fields.amount}
        onChange={({ currentTarget }) => setDraft({ ...draft, amount: currentTarget.value })}
      />
      <TextField
        label={t`Notices at, in per cent`}
        name="shares"
        autoComplete="off"
        maxLength={40}
        help={t`In the console, by mail to owners and billing, and to webhooks. At most five.`}
        value={draft.shares}
        error={
          hasShares ? failure?.fields.shares : t`Whole numbers from 1 to 100, such as 50, 80, 100.`
        }
        onChange={({ currentTarget }) => setDraft({ ...draft, shares: currentTarget.value })}
      />
      {cap.tenantCap !== null && (
        <Button look="quiet" disabled={change.isPending} onClick={() => submit(undefined)}>
          <Trans>Remove the cap</Trans>
        </Button>
      )}
    </DialogForm>
  );
}
