import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextArea } from "@turnpike/ui/text-area";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { ApiClient } from "#platform/api-client.ts";
import { type BillingPlace, refreshBilling } from "#platform/billing-queries.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { CreditGrant } from "../../credits/credits.queries.ts";

export type RevokeDialogProps = {
  place: BillingPlace;
  /** Undefined: closed. */
  grant: CreditGrant | undefined;
  onClose: () => void;
};

/** Asks why what is left of a grant is taken back, and does it. */
export function RevokeDialog({ place, grant, onClose }: RevokeDialogProps) {
  return (
    <Dialog
      isOpen={grant !== undefined}
      onClose={onClose}
      title={t`Take back credit`}
      description={t`What was used stays used; what is left of this grant is gone.`}
    >
      {grant !== undefined && <RevokeForm place={place} grant={grant} onDone={onClose} />}
    </Dialog>
  );
}

type GrantId = Parameters<ApiClient["invoicing"]["revokeCredit"]>[0]["grantId"];

function RevokeForm({
  place,
  grant,
  onDone,
}: {
  place: BillingPlace;
  grant: CreditGrant;
  onDone: () => void;
}) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  useUnsaved(reason !== "");
  const revoke = useMutation({
    mutationKey: ["billing", "revoke-credit"],
    mutationFn: (why: string) =>
      api.invoicing.revokeCredit({ ...place, grantId: grant.grantId as GrantId, reason: why }),
    onSuccess: async () => {
      toast.success(t`The credit is taken back.`);
      onDone();
      await refreshBilling(client, place);
    },
  });
  const submit = useSubmitOnce(revoke.mutateAsync, "failed");
  const failure = toFormFailure(revoke.error, { reason: "/reason" });
  return (
    <DialogForm
      onSubmit={() => submit(reason.trim())}
      onCancel={onDone}
      action={t`Take back`}
      progress={revoke.isPending ? t`Taking back…` : undefined}
      isDisabled={reason.trim() === ""}
      failure={t`Nothing was taken back.`}
      errors={failure?.messages}
    >
      <TextArea
        label={t`Reason`}
        help={t`For the audit log and the customer.`}
        maxLength={500}
        value={reason}
        error={failure?.fields.reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
