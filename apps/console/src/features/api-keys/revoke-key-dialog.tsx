import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import type { Key, KeySummary } from "./api-keys.queries.ts";
import { toMaskedKey, toUseSentence } from "./key.view-model.ts";

export type RevokeKeyDialogProps = {
  subject: Key;
  /** What it did lately; undefined while that is not known. */
  summary: KeySummary | undefined;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before a key ends for good, and says what that stops. */
export function RevokeKeyDialog({ subject, summary, onConfirm, onClose }: RevokeKeyDialogProps) {
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Revoke ${subject.name}?`}
      description={
        <>
          <code className="font-mono text-[0.8125rem]">{toMaskedKey(subject)}</code> is refused
          everywhere within a second, permanently. {toUseSentence(summary)} To pause it instead,
          disable it.
        </>
      }
      action="Revoke key"
      nameToType={subject.name}
      onConfirm={onConfirm}
    />
  );
}
