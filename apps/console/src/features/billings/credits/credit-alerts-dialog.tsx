import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
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
import type { Credits } from "./credits.queries.ts";

export type CreditAlertsDialogProps = {
  place: BillingPlace;
  credits: Credits;
  isOpen: boolean;
  onClose: () => void;
};

/** Sets when notices say how much credit is left. */
export function CreditAlertsDialog({ place, credits, isOpen, onClose }: CreditAlertsDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Notices of credit`}
      description={t`In the console, by mail to owners and billing, and to webhooks. Each goes out once after credit was added.`}
    >
      <CreditAlertsForm place={place} credits={credits} onDone={onClose} />
    </Dialog>
  );
}

type Wanted = { shares: string; below: string };

const POINTERS = { shares: "/shares", below: "/below" } as const;

function CreditAlertsForm({
  place,
  credits,
  onDone,
}: Pick<CreditAlertsDialogProps, "place" | "credits"> & { onDone: () => void }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { alerts, currency } = credits;
  const [known] = useState<Wanted>({
    shares: alerts.shares.join(", "),
    below: alerts.below ?? "",
  });
  const [draft, setDraft] = useState(known);
  useUnsaved(draft !== known);
  const shares = parseShares(draft.shares, { min: 0, max: 99 });
  const save = useMutation({
    mutationKey: ["billing", "credit-alerts"],
    mutationFn: (wanted: { shares: number[]; below: string | null }) =>
      api.billing.putCreditAlerts({ tenantId: place.tenantId, ...wanted }),
    onSuccess: async () => {
      toast.success(t`The notices of credit were saved.`);
      onDone();
      await refreshBilling(client, place);
    },
  });
  const submit = useSubmitOnce(save.mutateAsync, "failed");
  const failure = toFormFailure(save.error, POINTERS);
  return (
    <DialogForm
      onSubmit={() =>
        shares !== undefined &&
        submit({ shares, below: draft.below.trim() === "" ? null : draft.below.trim() })
      }
      onCancel={onDone}
      action={t`Save`}
      progress={save.isPending ? t`Saving…` : undefined}
      isDisabled={shares === undefined}
      failure={t`Nothing was changed.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`When this much is left, in per cent`}
        name="shares"
        autoComplete="off"
        maxLength={40}
        help={t`Of what was left when credit was added last. At most five; 0: when calls are denied.`}
        value={draft.shares}
        error={
          shares === undefined
            ? t`Whole numbers from 0 to 99, such as 50, 20, 0.`
            : failure?.fields.shares
        }
        onChange={({ currentTarget }) => setDraft({ ...draft, shares: currentTarget.value })}
      />
      <TextField
        isOptional
        label={t`When less than this is left, in ${currency}`}
        name="below"
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
        value={draft.below}
        error={failure?.fields.below}
        onChange={({ currentTarget }) => setDraft({ ...draft, below: currentTarget.value })}
      />
    </DialogForm>
  );
}
