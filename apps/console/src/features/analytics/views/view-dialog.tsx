import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { Switch } from "@turnpike/ui/switch";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import {
  type SavedView,
  savedViewsQuery,
  saveView,
  type ViewSearch,
  type ViewsOwner,
  withView,
} from "#platform/saved-views.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";

export type ViewDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  owner: ViewsOwner;
  search: ViewSearch;
  /** The view being edited; undefined for a new one. */
  before: SavedView | undefined;
  onSaved: (view: SavedView) => void;
};

const NAME_LENGTH_MAX = 60;

/** Names a view, and chooses who sees it. */
export function ViewDialog(props: ViewDialogProps) {
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={props.before === undefined ? t`Save view` : t`Rename or share view`}
      description={t`Saves the range, the filters and everything else in the address.`}
    >
      <ViewForm {...props} />
    </Dialog>
  );
}

function ViewForm({ onClose, owner, search, before, onSaved }: ViewDialogProps) {
  const { api, documents } = usePlatform();
  const client = useQueryClient();
  const [name, setName] = useState(before?.name ?? "");
  const [isShared, setIsShared] = useState(before?.isShared ?? false);
  useUnsaved(name.trim() !== (before?.name ?? ""));
  const [isRefused, setIsRefused] = useState(false);
  const save = useMutation({
    mutationKey: ["saved-views", "save"],
    mutationFn: async (): Promise<SavedView> => {
      const viewId = before?.viewId ?? `view-${crypto.randomUUID()}`;
      const view = { viewId, name: name.trim(), search, isShared };
      return await saveView(await documents(), owner, view, before);
    },
    onSuccess: async (view) => {
      // At once, and also while there is no network to ask.
      client.setQueryData(
        savedViewsQuery(api, owner).queryKey,
        (saved) => saved && withView(saved, view),
      );
      await client.invalidateQueries({ queryKey: ["saved-views", owner.tenantId] });
      onSaved(view);
    },
  });
  const submit = useSubmitOnce(save.mutateAsync, "failed");
  const isNamed = name.trim() !== "";
  function send(): void {
    setIsRefused(!isNamed);
    if (isNamed) {
      submit();
    }
  }
  return (
    <DialogForm
      onSubmit={send}
      onCancel={onClose}
      action={t`Save view`}
      progress={save.isPending ? t`Saving…` : undefined}
    >
      <TextField
        label={t`Name`}
        value={name}
        maxLength={NAME_LENGTH_MAX}
        autoComplete="off"
        error={isRefused && !isNamed ? t`Enter a name.` : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Switch
        label={t`Share with the tenant`}
        help={t`Everyone in the tenant can open, change and delete it. Otherwise only you can see it.`}
        isOn={isShared}
        onChange={setIsShared}
      />
      {save.isError && <FailureNotice what={t`The view could not be saved.`} cause={save.error} />}
    </DialogForm>
  );
}
