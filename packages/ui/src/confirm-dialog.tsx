import { createLateLayer, useLateLayer } from "./late-layer.tsx";
import type { ConfirmDialogProps } from "./layers/confirm-dialog.tsx";

const CONFIRM_DIALOG = createLateLayer(() => import("./layers/confirm-dialog.tsx"));

/** Asks before something that cannot be taken back. Only its own buttons and Escape close it, and nothing while it is at work. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const layer = useLateLayer(CONFIRM_DIALOG, props.isOpen);
  return layer && <layer.ConfirmDialog {...props} />;
}
