import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { type Key, refreshKeys, replaceKey } from "../api-keys.queries.ts";
import { toMaskedKey } from "../key.view-model.ts";
import {
  type DraftContext,
  type KeyDraft,
  toDraft,
  toUpdateInput,
} from "./key-draft.view-model.ts";
import { KeyForm } from "./key-form.tsx";

export type EditKeyDialogProps = { tenant: OwnTenant; subject: Key; onClose: () => void };

/** Edits a key. */
export function EditKeyDialog({ tenant, subject, onClose }: EditKeyDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`Edit ${subject.name}`}
      description={<code className="font-mono text-[0.8125rem]">{toMaskedKey(subject)}</code>}
    >
      <EditKeyForm tenant={tenant} subject={subject} onClose={onClose} />
    </Dialog>
  );
}

function EditKeyForm({ tenant, subject, onClose }: EditKeyDialogProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = tenant;
  const update = useMutation({
    mutationKey: ["keys", "update"],
    mutationFn: async ({ draft, context }: { draft: KeyDraft; context: DraftContext }) => {
      const input = toUpdateInput(subject, draft, context);
      return input === undefined ? subject : await api.keys.update(input);
    },
    onSuccess: (key) => {
      replaceKey(client, tenantId, key);
      if (key !== subject) {
        toast.success(t`${key.name} was saved.`);
      }
      onClose();
      void refreshKeys(client, tenantId);
    },
  });
  const submitOnce = useSubmitOnce(update.mutateAsync, "failed");
  return (
    <KeyForm
      tenant={tenant}
      existing={subject}
      initial={toDraft(subject)}
      action={t`Save key`}
      progress={update.isPending ? t`Saving…` : undefined}
      error={update.error}
      failure={t`The key was not saved.`}
      onSubmit={(draft, context) => submitOnce({ draft, context })}
      onCancel={onClose}
    />
  );
}
