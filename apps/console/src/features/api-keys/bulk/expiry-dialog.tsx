import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogActions } from "@turnpike/ui/dialog-actions";
import { useCancel, useUnsaved } from "@turnpike/ui/unsaved";
import { type SubmitEvent, useState } from "react";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import type { Key } from "../api-keys.queries.ts";
import { errorAt } from "../forms/draft-errors.ts";
import { type ExpiryDraft, ExpiryField } from "../forms/expiry-field.tsx";
import { checkExpiry, toExpiresAt } from "../forms/key-draft.view-model.ts";
import { countKeys } from "./bulk-change.view-model.ts";

export type ExpiryDialogProps = {
  isOpen: boolean;
  keys: readonly Key[];
  onClose: () => void;
  /** `expiresAt` is null for never. */
  onConfirm: (keys: readonly Key[], expiresAt: string | null) => void;
};

/** Asks for the expiry of many keys. */
export function ExpiryDialog({ isOpen, keys, onClose, onConfirm }: ExpiryDialogProps) {
  const expired = keys.filter((key) => key.state === "expired").length;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Set the expiry of ${countKeys(keys.length)}`}
      description={
        expired === 0
          ? t`They stop working at that time.`
          : t`They stop working at that time. ${countKeys(expired)} that had expired will work again until then.`
      }
    >
      <ExpiryForm onCancel={onClose} onConfirm={(expiresAt) => onConfirm(keys, expiresAt)} />
    </Dialog>
  );
}

type ExpiryFormProps = { onCancel: () => void; onConfirm: (expiresAt: string | null) => void };

function ExpiryForm({ onCancel, onConfirm }: ExpiryFormProps) {
  const [draft, setDraft] = useState<ExpiryDraft>({ expiry: "30d", customExpiry: "" });
  useUnsaved(draft.customExpiry !== "");
  const cancel = useCancel(onCancel);
  // Checked at each attempt: an expiry that was in the future when the dialog opened may have passed by then.
  const [checkedMs, setCheckedMs] = useState<number>();
  const [openedMs] = useState(() => Date.now());
  const clock = { nowMs: openedMs, timeZone: readOwnTimeZone() };

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const now = { ...clock, nowMs: Date.now() };
    setCheckedMs(now.nowMs);
    if (Object.keys(checkExpiry(draft, now)).length === 0) {
      onConfirm(toExpiresAt(draft, now) ?? null);
    }
  }

  const found = checkedMs === undefined ? {} : checkExpiry(draft, { ...clock, nowMs: checkedMs });

  return (
    <form onSubmit={submit} noValidate>
      <ExpiryField
        {...clock}
        draft={draft}
        current={null}
        error={errorAt(found, "/expiresAt")}
        onChange={(part) => setDraft({ ...draft, ...part })}
      />
      <DialogActions>
        <Button onClick={cancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button type="submit" look="primary">
          <Trans>Set expiry</Trans>
        </Button>
      </DialogActions>
    </form>
  );
}
