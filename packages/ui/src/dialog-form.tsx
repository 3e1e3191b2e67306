import { t } from "@lingui/core/macro";
import type { ReactNode, Ref, SubmitEvent } from "react";
import { Button } from "./button.tsx";
import { DialogActions } from "./dialog-actions.tsx";
import { FormErrors } from "./form-errors.tsx";
import { useCancel, useStake } from "./unsaved.tsx";

export type DialogFormProps = {
  ref?: Ref<HTMLFormElement>;
  onSubmit: () => void;
  /** Leaves the form; where something is typed, the layer around it asks first. */
  onCancel: () => void;
  /** What the button says that sends it. */
  action: string;
  /** What the way out says. Left out: "Cancel". */
  cancel?: string;
  /** What it says meanwhile; undefined while nothing is under way. */
  progress?: string | undefined;
  isDisabled?: boolean;
  /** What did not work: "The key was not created." Shown when there are `errors`, be they none that have words. */
  failure?: string;
  errors?: readonly string[] | undefined;
  /** The fields. */
  children: ReactNode;
};

/**
 * A form in a layer: what went wrong on top, its fields, the way out and the action. Sent by the button or by Enter. While it
 * is being sent the layer stays: what comes of it is only shown there.
 */
export function DialogForm({ failure, errors, onSubmit, onCancel, ...props }: DialogFormProps) {
  const cancel = useCancel(onCancel);
  const isSending = props.progress !== undefined;
  useStake("sending", isSending);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    onSubmit();
  }

  return (
    <form ref={props.ref} onSubmit={submit} noValidate className="space-y-4">
      <FormErrors title={errors === undefined ? undefined : failure} errors={errors ?? []} />
      {props.children}
      <DialogActions>
        <Button disabled={isSending} onClick={cancel}>
          {props.cancel ?? t`Cancel`}
        </Button>
        <Button
          type="submit"
          look="primary"
          disabled={props.isDisabled === true}
          progress={props.progress}
        >
          {props.action}
        </Button>
      </DialogActions>
    </form>
  );
}
