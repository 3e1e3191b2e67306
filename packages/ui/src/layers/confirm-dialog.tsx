import { AlertDialog } from "@base-ui/react/alert-dialog";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type ReactNode, type SubmitEvent, useId, useRef, useState } from "react";
import { Button, toButtonClasses } from "../button.tsx";
import { DialogActions } from "../dialog-actions.tsx";
import { BACKDROP_CLASSES } from "../layer-styles.tsx";
import { TextField } from "../text-field.tsx";

export type ConfirmDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  /** The question: "Revoke this key?" */
  title: string;
  /** What happens, and what cannot be undone. */
  description: ReactNode;
  /** Verb and noun of the button: "Revoke key". */
  action: string;
  /** The way out. Left out: "Cancel". */
  cancel?: string;
  /** What has to be typed before the button works: the name of what is destroyed. */
  nameToType?: string;
  isDangerous?: boolean;
  /** What happens right now, such as "Revoking…". */
  progress?: string | undefined;
  /** Why it did not work. */
  error?: string | undefined;
  onConfirm: () => void;
};

/** Asks before something that cannot be taken back. Only its own buttons and Escape close it, and nothing while it is at work. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const isWorking = props.progress !== undefined;
  return (
    <AlertDialog.Root
      open={props.isOpen}
      onOpenChange={(isOpen) => {
        if (!(isOpen || isWorking)) {
          props.onClose();
        }
      }}
    >
      <AlertDialog.Portal>
        {/* Also above a dialog or a panel, which would else go on looking as if it could be used. */}
        <AlertDialog.Backdrop forceRender className={BACKDROP_CLASSES} />
        <AlertDialog.Viewport className="fixed inset-0 z-50 grid place-items-center overflow-y-auto p-4">
          <AlertDialog.Popup className="w-full max-w-md rounded-card border border-line bg-surface p-5 text-ink text-sm shadow-float outline-none transition-[opacity,translate] duration-180 ease-out data-starting-style:translate-y-2 data-starting-style:opacity-0 data-ending-style:translate-y-2 data-ending-style:opacity-0">
            <AlertDialog.Title className="font-semibold text-base [overflow-wrap:anywhere]">
              {props.title}
            </AlertDialog.Title>
            <AlertDialog.Description
              render={<div />}
              className="mt-1.5 text-ink-muted [overflow-wrap:anywhere]"
            >
              {props.description}
            </AlertDialog.Description>
            <ConfirmForm {...props} />
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** The name as shown: a browser collapses repeated blanks, so a person cannot know how many to type. */
function toReadable(name: string): string {
  return name.trim().replace(/\s+/g, " ");
}

/** A part of its own, so that what was typed for one thing is not there for the next. */
function ConfirmForm(props: ConfirmDialogProps) {
  const [typed, setTyped] = useState("");
  const [isRefused, setIsRefused] = useState(false);
  const errorId = useId();
  const field = useRef<HTMLInputElement>(null);
  const name = props.nameToType;
  const isConfirmed = name === undefined || toReadable(typed) === toReadable(name);

  function confirm(event: SubmitEvent): void {
    event.preventDefault();
    if (props.progress !== undefined) {
      return;
    }
    if (!isConfirmed) {
      setIsRefused(true);
      field.current?.focus();
      return;
    }
    props.onConfirm();
  }

  return (
    <form onSubmit={confirm} noValidate className="mt-4">
      {name !== undefined && (
        <TextField
          ref={field}
          label={
            <Trans>
              Type{" "}
              <code className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{name}</code> to
              confirm
            </Trans>
          }
          value={typed}
          autoComplete="off"
          spellCheck={false}
          isMono
          error={isRefused && !isConfirmed ? t`The name does not match.` : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <p id={errorId} role="alert" className="mt-3 text-danger empty:hidden">
        {props.error}
      </p>
      <DialogActions>
        <AlertDialog.Close
          disabled={props.progress !== undefined}
          className={toButtonClasses("secondary")}
        >
          {props.cancel ?? t`Cancel`}
        </AlertDialog.Close>
        <Button
          type="submit"
          look={props.isDangerous === false ? "primary" : "danger"}
          progress={props.progress}
        >
          {props.action}
        </Button>
      </DialogActions>
    </form>
  );
}
