import { t } from "@lingui/core/macro";
import { Dialog } from "@turnpike/ui/dialog";
import { SecretOnce } from "@turnpike/ui/secret-once";

export type LinkDialogProps = {
  email: string;
  /** Undefined while there is none to show. */
  link: string | undefined;
  onClose: () => void;
};

/** The new link of an invitation, to pass on where no mail is delivered. */
export function LinkDialog({ email, link, onClose }: LinkDialogProps) {
  return (
    <Dialog isOpen={link !== undefined} onClose={onClose} title={t`New link for ${email}`}>
      {link !== undefined && (
        <SecretOnce
          subject={t`Invitation link`}
          secret={link}
          advice={t`Pass it on yourself: no mail is delivered. The previous link no longer works.`}
          onStored={onClose}
        />
      )}
    </Dialog>
  );
}
