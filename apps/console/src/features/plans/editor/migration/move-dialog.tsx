import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { RadioList } from "@turnpike/ui/radio-list";
import { useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { migrationQueries } from "./migration.queries.ts";
import { MigrationPreview } from "./migration-preview.tsx";

export type MoveDialogProps = {
  planId: string;
  name: string;
  /** The version that they are moved to. */
  version: number;
  isOpen: boolean;
  onClose: () => void;
};

const TIMES = [
  { value: "period_end", label: t`Each at the end of its period` },
  { value: "now", label: t`Now`, note: t`What was paid in advance is credited.` },
] as const;

/** Moves the subscribers of earlier versions to the newest one, after a preview of what each would pay. */
export function MoveDialog(props: MoveDialogProps) {
  const { isOpen, onClose, name, version } = props;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      size="wide"
      title={t`Move subscribers of ${name} to version ${String(version)}`}
      description={t`Those of every other version. Tell them before: their prices and limits change.`}
    >
      <MoveForm {...props} />
    </Dialog>
  );
}

function MoveForm({ planId, version, onClose }: MoveDialogProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [when, setWhen] = useState<(typeof TIMES)[number]["value"]>("period_end");
  const move = useMutation({
    mutationKey: ["plan-editor", "move", planId],
    mutationFn: () => api.planMigrations.create({ planId, toVersion: version, when }),
    onSuccess: async () => {
      toast.success(t`Subscribers are being moved.`);
      onClose();
      await client.invalidateQueries({ queryKey: migrationQueries.list(api, planId).queryKey });
    },
  });
  const submitOnce = useSubmitOnce(move.mutateAsync, "failed");
  return (
    <DialogForm
      onSubmit={() => submitOnce()}
      onCancel={onClose}
      action={t`Move subscribers`}
      progress={move.isPending ? t`Starting…` : undefined}
      failure={t`No one was moved.`}
      errors={move.error === null ? undefined : [toErrorMessage(move.error)]}
    >
      <MigrationPreview planId={planId} to={version} />
      <RadioList label={t`When`} isInColumns value={when} choices={TIMES} onValueChange={setWhen} />
    </DialogForm>
  );
}
