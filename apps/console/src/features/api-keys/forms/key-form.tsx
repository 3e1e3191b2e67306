import { DialogForm } from "@turnpike/ui/dialog-form";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import type { Key } from "../api-keys.queries.ts";
import type { DraftContext, KeyDraft } from "./key-draft.view-model.ts";
import { KeyFields } from "./key-fields.tsx";
import { useKeyForm } from "./use-key-form.ts";

export type KeyFormProps = {
  tenant: OwnTenant;
  /** The key being edited; left out for a new one. */
  existing?: Key;
  /** The initial values; later changes of this prop are ignored. */
  initial: KeyDraft;
  /** The button's label; `progress` is its label while the request runs. */
  action: string;
  progress: string | undefined;
  /** The error of the last attempt; null if there is none. */
  error: unknown;
  /** The headline of an error: "The key was not created." */
  failure: string;
  onSubmit: (draft: KeyDraft, context: DraftContext) => void;
  onCancel: () => void;
};

/** The form for a new or an existing key. */
export function KeyForm(props: KeyFormProps) {
  const { tenant, existing, action, progress, error, failure, onSubmit, onCancel } = props;
  const [initial] = useState(props.initial);
  const form = useKeyForm({ tenantId: tenant.tenantId, initial, error, onSubmit });
  useUnsaved(form.isTouched);
  return (
    <DialogForm
      ref={form.form}
      onSubmit={form.submit}
      onCancel={onCancel}
      action={action}
      progress={progress}
      failure={failure}
      errors={form.messages}
    >
      <KeyFields
        tenant={tenant}
        draft={form.draft}
        {...(existing !== undefined && { existing })}
        errors={form.errors}
        attempts={form.attempts}
        nowMs={form.nowMs}
        timeZone={form.timeZone}
        onChange={form.setDraft}
      />
    </DialogForm>
  );
}
