import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { RadioList } from "@turnpike/ui/radio-list";
import { useStake } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatInstant } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { type CreatedKey, type Key, refreshKeys, type TenantId } from "../api-keys.queries.ts";
import { toMaskedKey } from "../key.view-model.ts";
import {
  GRACE_CHOICES,
  type GraceSeconds,
  type GraceValue,
  toGraceEndMs,
} from "./grace.view-model.ts";
import { ShownKey } from "./shown-key.tsx";

export type RollKeyDialogProps = { tenantId: TenantId; subject: Key; onClose: () => void };

/** Replaces a key with a copy that has a new secret, shown once. */
export function RollKeyDialog({ tenantId, subject, onClose }: RollKeyDialogProps) {
  const [made, setMade] = useState<CreatedKey>();
  const [endMs, setEndMs] = useState<number>();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={made === undefined ? t`Roll ${subject.name}` : t`The new ${made.name} is ready`}
      description={
        made === undefined ? (
          <Trans>
            Creates a new key with the same name, scopes, networks, limits, metadata and expiry.
            Usage against its limits carries over.
          </Trans>
        ) : endMs === undefined ? (
          t`The old key no longer works.`
        ) : (
          t`The old key works until ${formatInstant(new Date(endMs).toISOString())}.`
        )
      }
    >
      {made === undefined ? (
        <RollKeyForm
          tenantId={tenantId}
          subject={subject}
          onCancel={onClose}
          onMade={(key, graceEndMs) => {
            setMade(key);
            setEndMs(graceEndMs);
          }}
        />
      ) : (
        <ShownKey secret={made.key} onStored={onClose} />
      )}
    </Dialog>
  );
}

type RollKeyFormProps = Omit<RollKeyDialogProps, "onClose"> & {
  onCancel: () => void;
  /** `graceEndMs` is undefined when the old key has ended already. */
  onMade: (key: CreatedKey, graceEndMs: number | undefined) => void;
};

function RollKeyForm({ tenantId, subject, onCancel, onMade }: RollKeyFormProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [grace, setGrace] = useState<GraceValue>("86400");
  const roll = useMutation({
    mutationKey: ["keys", "roll"],
    // The response contains the key's secret, so only this dialog holds it.
    gcTime: 0,
    mutationFn: (graceSeconds: GraceSeconds) =>
      api.keys.roll({ tenantId, keyId: subject.keyId, graceSeconds }),
    // Uses the grace period that was sent: the choice may have changed before the response.
    onSuccess: (key, graceSeconds) => {
      onMade(key, graceSeconds === 0 ? undefined : toGraceEndMs(subject, graceSeconds, Date.now()));
      void refreshKeys(client, tenantId);
    },
  });
  // The response contains the secret, which is shown nowhere else.
  useStake("secret", roll.isPending);
  const submitOnce = useSubmitOnce(roll.mutateAsync, "failed");
  const failure = toFormFailure(roll.error, { graceSeconds: "/graceSeconds" });

  return (
    <DialogForm
      onSubmit={() => submitOnce(Number(grace) as GraceSeconds)}
      onCancel={onCancel}
      action={t`Roll key`}
      progress={roll.isPending ? t`Rolling…` : undefined}
      failure={t`The key was not rolled.`}
      errors={failure?.messages}
    >
      <RadioList
        label={t`How long ${toMaskedKey(subject)} still works`}
        choices={GRACE_CHOICES}
        value={grace}
        error={failure?.fields.graceSeconds}
        onValueChange={setGrace}
      />
    </DialogForm>
  );
}
