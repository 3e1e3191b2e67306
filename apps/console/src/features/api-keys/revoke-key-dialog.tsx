import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import type { Key, KeySummary } from "./api-keys.queries.ts";
import { toMaskedKey, toUseSentence } from "./key.view-model.ts";

export type RevokeKeyDialogProps = {
  subject: Key;
  /** The key's recent usage; undefined while it is not known. */
  summary: KeySummary | undefined;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before revoking a key for good, and says what that stops. */
export function RevokeKeyDialog({ subject, summary, onConfirm, onClose }: RevokeKeyDialogProps) {
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={t`Revoke ${subject.name}?`}
      description={
        <>
          <code className="font-mono text-[0.8125rem]">{toMaskedKey(subject)}</code>{" "}
          <Trans>
            is refused everywhere within a second, permanently. {toUseSentence(summary)} To pause it
            instead, disable it.
          </Trans>
        </>
      }
      action={t`Revoke key`}
      nameToType={subject.name}
      onConfirm={onConfirm}
    />
  );
}
