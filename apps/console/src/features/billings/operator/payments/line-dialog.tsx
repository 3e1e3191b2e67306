import { t } from "@lingui/core/macro";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { RadioList } from "@turnpike/ui/radio-list";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import { asInvoiceId } from "../use-invoice-change.ts";
import type { LineId, StatementLine } from "./payments.queries.ts";
import { describeProposal, isIncoming } from "./payments.view-model.ts";
import { usePaymentChange } from "./use-payment-change.ts";

type Decision = { target: string; number: string; reason: string };

const OTHER = "other";
const IGNORE = "ignore";

/** Decides what a line of a statement pays, or that it is no payment of a customer. */
export function LineDialog({ line, onClose }: { line: StatementLine; onClose: () => void }) {
  const who = line.payer === "" ? t`an unnamed payer` : line.payer;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`${formatMoney(line.amount, line.currency)} of ${who}`}
      description={line.purpose === "" ? t`Nothing was written with it.` : line.purpose}
    >
      <LineForm line={line} onDone={onClose} />
    </Dialog>
  );
}

function LineForm({ line, onDone }: { line: StatementLine; onDone: () => void }) {
  const { api } = usePlatform();
  const [first] = line.proposals;
  const start = first?.invoiceId ?? (isIncoming(line) ? OTHER : IGNORE);
  const [draft, setDraft] = useState<Decision>({ target: start, number: "", reason: "" });
  useUnsaved(draft.number !== "" || draft.reason !== "");
  const lineId = line.lineId as LineId;
  const { mutation, submit } = usePaymentChange({
    change: async (payments, { target, number, reason }: Decision) => {
      if (target === IGNORE) {
        return await payments.ignoreStatementLine({ lineId, reason: reason.trim() });
      }
      const invoiceId = target === OTHER ? await findInvoice(number.trim()) : target;
      return await payments.matchStatementLine({ lineId, invoiceIds: [asInvoiceId(invoiceId)] });
    },
    toSuccess: ({ state }) =>
      state === "ignored" ? t`The line is set aside.` : t`The payment is matched.`,
    onDone,
  });

  async function findInvoice(number: string): Promise<string> {
    const { items } = await api.invoicing.listAllInvoices({
      environment: "live",
      search: number,
      limit: 10,
    });
    const found = items.find((item) => item.number.toLowerCase() === number.toLowerCase());
    if (found === undefined) {
      throw new Error(`There is no invoice ${number}.`);
    }
    return found.invoiceId;
  }

  const failure = toFormFailure(mutation.error, {});
  const isComplete =
    draft.target === IGNORE
      ? draft.reason.trim() !== ""
      : draft.target !== OTHER || draft.number.trim() !== "";
  const choices = [
    ...line.proposals.map((proposal) => ({
      value: proposal.invoiceId,
      label: t`${proposal.number} of ${proposal.tenantName}`,
      note: describeProposal(proposal),
    })),
    ...(isIncoming(line) ? [{ value: OTHER, label: t`Another invoice` }] : []),
    { value: IGNORE, label: t`No payment of a customer` },
  ];
  return (
    <DialogForm
      onSubmit={() => submit(draft)}
      onCancel={onDone}
      action={draft.target === IGNORE ? t`Set aside` : t`Match`}
      progress={mutation.isPending ? t`Saving…` : undefined}
      isDisabled={!isComplete}
      failure={t`Nothing was changed.`}
      errors={failure?.messages ?? (mutation.error === null ? undefined : [mutation.error.message])}
    >
      <RadioList
        label={t`What it pays`}
        value={draft.target}
        choices={choices}
        onValueChange={(target) => setDraft({ ...draft, target })}
      />
      {draft.target === OTHER && (
        <TextField
          label={t`Number of the invoice`}
          autoComplete="off"
          maxLength={100}
          value={draft.number}
          onChange={({ currentTarget }) => setDraft({ ...draft, number: currentTarget.value })}
        />
      )}
      {draft.target === IGNORE && (
        <TextField
          label={t`Reason`}
          help={t`Kept with the line. It can be looked at again.`}
          autoComplete="off"
          maxLength={500}
          value={draft.reason}
          onChange={({ currentTarget }) => setDraft({ ...draft, reason: currentTarget.value })}
        />
      )}
    </DialogForm>
  );
}
