import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ComboboxField } from "@turnpike/ui/combobox";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { SelectField } from "@turnpike/ui/select";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { type BillingPlace, refreshBilling } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { NAMED_LANGUAGES } from "#platform/language-choice.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { BillingDetails } from "./billing-details.queries.ts";
import { type DetailsDraft, toDraft, toInput } from "./billing-details.view-model.ts";
import { listCountries } from "./countries.ts";

export type BillingDetailsDialogProps = {
  place: BillingPlace;
  /** Of the tenant. */
  name: string;
  details: BillingDetails;
  isOpen: boolean;
  onClose: () => void;
};

/** Sets who the invoices of a tenant are made out to. */
export function BillingDetailsDialog({
  place,
  name,
  details,
  isOpen,
  onClose,
}: BillingDetailsDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Billing details`}
      description={t`On invoices from the next one on. Leave empty what does not apply.`}
    >
      <DetailsForm place={place} name={name} details={details} onDone={onClose} />
    </Dialog>
  );
}

const POINTERS = {
  companyName: "/companyName",
  address: "/addressLines",
  postalCode: "/postalCode",
  city: "/city",
  region: "/region",
  country: "/country",
  email: "/email",
  taxId: "/taxId",
  language: "/language",
} as const satisfies Record<keyof DetailsDraft, string>;

function DetailsForm({
  place,
  name,
  details,
  onDone,
}: Pick<BillingDetailsDialogProps, "place" | "name" | "details"> & { onDone: () => void }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [known] = useState(() => toDraft(details));
  const [draft, setDraft] = useState(known);
  useUnsaved(draft !== known);
  const change = useMutation({
    mutationKey: ["billing", "details"],
    mutationFn: (wanted: DetailsDraft) =>
      api.billing.putBillingDetails(toInput(place.tenantId, wanted)),
    onSuccess: async () => {
      toast.success(t`The billing details are saved.`);
      onDone();
      await refreshBilling(client, place);
    },
  });
  const submit = useSubmitOnce(change.mutateAsync, "failed");
  const failure = toFormFailure(change.error, POINTERS);
  const errors = failure?.fields ?? {};
  const set = (part: Partial<DetailsDraft>) => setDraft((now) => ({ ...now, ...part }));
  return (
    <DialogForm
      onSubmit={() => submit(draft)}
      onCancel={onDone}
      action={t`Save`}
      progress={change.isPending ? t`Saving…` : undefined}
      failure={t`Nothing was changed.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`Company`}
        help={t`Left empty, invoices are made out to ${name}.`}
        name="companyName"
        autoComplete="organization"
        maxLength={200}
        value={draft.companyName}
        error={errors.companyName}
        onChange={({ currentTarget }) => set({ companyName: currentTarget.value })}
      />
      <TextArea
        label={t`Address`}
        help={t`Street and house, at most three lines.`}
        name="address"
        autoComplete="street-address"
        rows={2}
        maxLength={362}
        value={draft.address}
        error={errors.address}
        onChange={({ currentTarget }) => set({ address: currentTarget.value })}
      />
      <div className="grid grid-cols-[7rem_minmax(0,1fr)] items-start gap-4 sm:grid-cols-[9rem_minmax(0,1fr)]">
        <TextField
          label={t`Postal code`}
          name="postalCode"
          autoComplete="postal-code"
          maxLength={20}
          value={draft.postalCode}
          error={errors.postalCode}
          onChange={({ currentTarget }) => set({ postalCode: currentTarget.value })}
        />
        <TextField
          label={t`City`}
          name="city"
          autoComplete="address-level2"
          maxLength={100}
          value={draft.city}
          error={errors.city}
          onChange={({ currentTarget }) => set({ city: currentTarget.value })}
        />
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <ComboboxField
          label={t`Country`}
          searchLabel={t`Search countries`}
          help={t`Decides the tax.`}
          choices={[
            { value: "", label: t`Not given` },
            ...listCountries().map(({ code, name: label }) => ({ value: code, label })),
          ]}
          value={draft.country}
          error={errors.country}
          onValueChange={(country) => set({ country })}
        />
        <TextField
          label={t`State or province`}
          name="region"
          autoComplete="address-level1"
          maxLength={60}
          value={draft.region}
          error={errors.region}
          onChange={({ currentTarget }) => set({ region: currentTarget.value })}
        />
      </div>
      <TextField
        label={t`Tax id`}
        help={t`In the European Union the VAT id. A new one is checked; tax is charged until it is confirmed.`}
        name="taxId"
        autoComplete="off"
        maxLength={40}
        value={draft.taxId}
        error={errors.taxId}
        onChange={({ currentTarget }) => set({ taxId: currentTarget.value })}
      />
      <TextField
        label={t`Mail address for invoices`}
        help={t`Left empty, they go to owners and billing members.`}
        name="email"
        type="email"
        autoComplete="email"
        maxLength={254}
        value={draft.email}
        error={errors.email}
        onChange={({ currentTarget }) => set({ email: currentTarget.value })}
      />
      <SelectField
        label={t`Language of invoices`}
        choices={[
          { value: "", label: t`The provider's` },
          ...NAMED_LANGUAGES.map(({ tag, name: label }) => ({ value: tag, label })),
        ]}
        value={draft.language}
        error={errors.language}
        onValueChange={(language) => set({ language })}
      />
    </DialogForm>
  );
}
