import { t } from "@lingui/core/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { RadioList } from "@turnpike/ui/radio-list";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { type BillingPlace, billingKey, refreshBilling } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { EMPTY_GRANT, type GrantDraft, isComplete, toGrantInput } from "./grant.view-model.ts";

export type GrantDialogProps = {
  place: BillingPlace;
  /** Of the tenant. */
  name: string;
  isOpen: boolean;
  onClose: () => void;
};

/** Gives a tenant credit. */
export function GrantDialog({ place, name, isOpen, onClose }: GrantDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Grant credit to ${name}`}
      description={t`The next invoices use it by themselves.`}
    >
      <GrantForm place={place} onDone={onClose} />
    </Dialog>
  );
}

const KINDS = [
  { value: "promotional", label: t`Promotional`, note: t`A discount: lowers the tax as well.` },
  { value: "prepaid", label: t`Prepaid`, note: t`Pays invoices, their tax included.` },
] as const;

const POINTERS = { amount: "/amount", expiresOn: "/expiresAt", reason: "/reason" } as const;

function GrantForm({ place, onDone }: { place: BillingPlace; onDone: () => void }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [draft, setDraft] = useState(EMPTY_GRANT);
  useUnsaved(draft !== EMPTY_GRANT);
  const grant = useMutation({
    mutationKey: ["billing", "grant-credit"],
    mutationFn: (input: GrantDraft) =>
      api.invoicing.grantCredit({ ...place, ...toGrantInput(input), reason: input.reason.trim() }),
    onSuccess: async () => {
      toast.success(t`The credit is granted.`);
      onDone();
      await refreshBilling(client, place);
    },
  });
  const submit = useSubmitOnce(grant.mutateAsync, "failed");
  const failure = toFormFailure(grant.error, POINTERS);
  const change = (part: Partial<GrantDraft>) => setDraft({ ...draft, ...part });
  return (
    <DialogForm
      onSubmit={() => submit(draft)}
      onCancel={onDone}
      action={t`Grant credit`}
      progress={grant.isPending ? t`Granting…` : undefined}
      isDisabled={!isComplete(draft)}
      failure={t`No credit was granted.`}
      errors={failure?.messages}
    >
      <RadioList
        label={t`Kind`}
        isInColumns
        value={draft.kind}
        choices={KINDS}
        onValueChange={(kind) => change({ kind })}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label={t`Amount`}
          help={t`In the currency of its plan.`}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          maxLength={25}
          value={draft.amount}
          error={failure?.fields.amount}
          onChange={(event) => change({ amount: event.currentTarget.value })}
        />
        <TextField
          label={t`Expires on`}
          help={t`At 00:00 UTC. Empty: never.`}
          type="date"
          isOptional
          value={draft.expiresOn}
          error={failure?.fields.expiresOn}
          onChange={(event) => change({ expiresOn: event.currentTarget.value })}
        />
      </div>
      <TextArea
        label={t`Reason`}
        help={t`For the audit log and the customer.`}
        maxLength={500}
        value={draft.reason}
        error={failure?.fields.reason}
        onChange={(event) => change({ reason: event.currentTarget.value })}
      />
      <Preview place={place} draft={draft} />
    </DialogForm>
  );
}

/** What the next invoice comes to with the credit. An amount that is refused is refused when it is granted. */
function Preview({ place, draft }: { place: BillingPlace; draft: GrantDraft }) {
  const { api } = usePlatform();
  const input = toGrantInput(draft);
  const preview = useQuery({
    queryKey: [...billingKey(place), place.environment, "credit-preview", input],
    queryFn: ({ signal }) => api.invoicing.previewCredit({ ...place, ...input }, { signal }),
    enabled: /^\d+(\.\d+)?$/.test(input.amount),
    retry: false,
  });
  const { data } = preview;
  return (
    <p className="min-h-10 text-ink-muted text-sm tabular-nums" aria-live="polite">
      {data !== undefined &&
        t`As of now, the next invoice comes to ${formatMoney(data.with.due, data.with.currency)} instead of ${formatMoney(data.without.due, data.without.currency)}.`}
    </p>
  );
}
