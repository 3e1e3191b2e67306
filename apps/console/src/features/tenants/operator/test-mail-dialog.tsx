import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextField } from "@turnpike/ui/text-field";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";

export type TestMailDialogProps = { isOpen: boolean; onClose: () => void };

/** Sends a mail at once and says what the mail server answered. */
export function TestMailDialog({ isOpen, onClose }: TestMailDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Send a test mail`}
      description={t`It goes through the same mail server as all others, at once. The answer can take up to 30 seconds.`}
    >
      <TestMailForm onCancel={onClose} />
    </Dialog>
  );
}

function TestMailForm({ onCancel }: { onCancel: () => void }) {
  const { api } = usePlatform();
  const { user } = useVerifiedUser();
  const client = useQueryClient();
  const [to, setTo] = useState(user.email ?? "");
  const test = useMutation({
    mutationKey: ["outbox", "test"],
    mutationFn: () => api.outbox.test({ to }),
    onSettled: () => client.invalidateQueries({ queryKey: ["outbox"] }),
  });
  const submitOnce = useSubmitOnce(test.mutateAsync, "settled");
  const failure = toFormFailure(test.error, { to: "/to" });
  return (
    <DialogForm
      onSubmit={() => submitOnce()}
      onCancel={onCancel}
      action={test.data === undefined ? t`Send test mail` : t`Send another`}
      cancel={test.data === undefined ? t`Cancel` : t`Close`}
      progress={test.isPending ? t`Waiting for the mail server…` : undefined}
      failure={t`No test mail was sent.`}
      errors={failure?.messages}
    >
      <TextField
        label={t({ message: "To", context: "recipient" })}
        name="to"
        type="email"
        value={to}
        maxLength={320}
        error={failure?.fields.to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      {test.data !== undefined && (
        <div
          role="status"
          className={
            test.data.outcome === "accepted"
              ? "space-y-1 rounded-control bg-ok-soft px-3 py-2.5"
              : "space-y-1 rounded-control bg-danger-soft px-3 py-2.5"
          }
        >
          <p className="font-medium">
            {test.data.outcome === "accepted" ? t`Accepted` : t`Not sent`}
          </p>
          <p>{test.data.explanation}</p>
          {test.data.answer !== null && (
            <p className="font-mono text-xs [overflow-wrap:anywhere]">{test.data.answer}</p>
          )}
        </div>
      )}
    </DialogForm>
  );
}
