import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Dialog, DialogActions } from "@turnpike/ui/dialog";
import { FormErrors } from "@turnpike/ui/form-errors";
import { toast } from "sonner";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { type Key, refreshKeys, replaceKey } from "../api-keys.queries.ts";
import { toMaskedKey } from "../key.view-model.ts";
import {
  type DraftContext,
  type KeyDraft,
  toDraft,
  toUpdateInput,
} from "./key-draft.view-model.ts";
import { KeyFields } from "./key-fields.tsx";
import { useKeyForm } from "./use-key-form.ts";

export type EditKeyDialogProps = { tenant: OwnTenant; subject: Key; onClose: () => void };

/** Changes what may be changed of a key. */
export function EditKeyDialog({ tenant, subject, onClose }: EditKeyDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Edit ${subject.name}`}
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
        toast.success(`${key.name} is saved.`);
      }
      onClose();
      void refreshKeys(client, tenantId);
    },
  });
  const submitOnce = useSubmitOnce(update.mutateAsync, "failed");
  const form = useKeyForm({
    tenantId,
    initial: toDraft(subject),
    error: update.error,
    onSubmit: (draft, context) => submitOnce({ draft, context }),
  });
  return (
    <form onSubmit={form.submit} noValidate className="space-y-4">
      <FormErrors
        title={form.messages === undefined ? undefined : "The key was not saved."}
        errors={form.messages ?? []}
      />
      <KeyFields
        draft={form.draft}
        existing={subject}
        role={tenant.role}
        errors={form.errors}
        nowMs={form.nowMs}
        timeZone={form.timeZone}
        onChange={form.setDraft}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" progress={update.isPending ? "Saving…" : undefined}>
          Save key
        </Button>
      </DialogActions>
    </form>
  );
}
