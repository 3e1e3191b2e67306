import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { useStake } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { Environment } from "#platform/current-environment.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { type CreatedKey, refreshKeys } from "../api-keys.queries.ts";
import {
  type DraftContext,
  type KeyDraft,
  toCreateInput,
  toNewDraft,
} from "./key-draft.view-model.ts";
import { KeyForm } from "./key-form.tsx";
import { ShownKey } from "./shown-key.tsx";

export type CreateKeyDialogProps = {
  isOpen: boolean;
  tenant: OwnTenant;
  /** The environment of the page; undefined for both. */
  environment: Environment | undefined;
  onClose: () => void;
};

/** Creates a key and shows it once. Until it is copied, only its own button closes the dialog. */
export function CreateKeyDialog({ isOpen, ...props }: CreateKeyDialogProps) {
  const [created, setCreated] = useState<CreatedKey>();
  if (!isOpen && created !== undefined) {
    // The dialog was left without it. It opens with an empty form next time.
    setCreated(undefined);
  }

  function close(): void {
    setCreated(undefined);
    props.onClose();
  }

  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={created === undefined ? t`Create key` : t`${created.name} is ready`}
      description={
        created === undefined
          ? t`A program sends it with every call, which is counted and limited as ${props.tenant.name}.`
          : t`Copy it now. Only a hash is stored.`
      }
    >
      {created === undefined ? (
        <CreateKeyForm {...props} onCancel={close} onCreated={setCreated} />
      ) : (
        <ShownKey secret={created.key} onStored={close} />
      )}
    </Dialog>
  );
}

type CreateKeyFormProps = Pick<CreateKeyDialogProps, "tenant" | "environment"> & {
  onCancel: () => void;
  onCreated: (key: CreatedKey) => void;
};

function CreateKeyForm({ tenant, environment, onCancel, onCreated }: CreateKeyFormProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const create = useMutation({
    mutationKey: ["keys", "create"],
    // The response contains the key's secret, so only this dialog holds it.
    gcTime: 0,
    mutationFn: ({ draft, context }: { draft: KeyDraft; context: DraftContext }) =>
      api.keys.create(toCreateInput(draft, context)),
    onSuccess: (key) => {
      onCreated(key);
      void refreshKeys(client, tenant.tenantId);
    },
  });
  // The response contains the secret, which is shown nowhere else.
  useStake("secret", create.isPending);
  const submitOnce = useSubmitOnce(create.mutateAsync, "failed");
  return (
    <KeyForm
      tenant={tenant}
      initial={toNewDraft(environment)}
      action={t`Create key`}
      progress={create.isPending ? t`Creating…` : undefined}
      error={create.error}
      failure={t`The key was not created.`}
      onSubmit={(draft, context) => submitOnce({ draft, context })}
      onCancel={onCancel}
    />
  );
}
