import { t } from "@lingui/core/macro";
import { SLUG_PATTERN } from "@turnpike/domain/ids/ids";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextField } from "@turnpike/ui/text-field";
import { useState } from "react";

export type NewPlanDialogProps = {
  isOpen: boolean;
  /** Ids that plans and drafts have already. */
  taken: readonly string[];
  onClose: () => void;
  onCreate: (planId: string) => void;
};

/** Asks for the id of a new plan, which never changes; the rest is written in its draft. */
export function NewPlanDialog({ isOpen, onClose, ...form }: NewPlanDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`New plan`}
      description={t`It starts as a draft, which only operators see.`}
    >
      <NewPlanForm {...form} onCancel={onClose} />
    </Dialog>
  );
}

type NewPlanFormProps = Pick<NewPlanDialogProps, "taken" | "onCreate"> & { onCancel: () => void };

function NewPlanForm({ taken, onCreate, onCancel }: NewPlanFormProps) {
  const [planId, setPlanId] = useState("");
  const [error, setError] = useState<string>();

  function submit(): void {
    const found = findIdFault(planId, taken);
    setError(found);
    if (found === undefined) {
      onCreate(planId);
    }
  }

  return (
    <DialogForm onSubmit={submit} onCancel={onCancel} action={t`Write draft`}>
      <TextField
        label={t`Id`}
        help={t`Used by programs and in the catalogue file. Cannot be changed later.`}
        isMono
        autoComplete="off"
        spellCheck={false}
        maxLength={64}
        placeholder={t`team`}
        value={planId}
        error={error}
        onChange={(event) => {
          setPlanId(toPlanId(event.currentTarget.value));
          setError(undefined);
        }}
      />
    </DialogForm>
  );
}

/** An id from what is typed, which may be a name: “team-one” of “Team One”. */
function toPlanId(typed: string): string {
  return typed.toLowerCase().replace(/[\s_]+/g, "-");
}

/** Why an id cannot be the id of a new plan; undefined when it can. */
export function findIdFault(planId: string, taken: readonly string[]): string | undefined {
  if (!SLUG_PATTERN.test(planId)) {
    return t`Use lower-case letters, digits and dashes, starting with a letter.`;
  }
  return taken.includes(planId) ? t`There is a plan ${planId} already.` : undefined;
}
