import { createLateLayer, useLateLayer } from "./late-layer.tsx";
import type { DialogProps } from "./layers/dialog.tsx";

const DIALOG = createLateLayer(() => import("./layers/dialog.tsx"));

/**
 * A layer above the page that asks for one thing. Focus stays inside and returns to where it came from. Where a part inside
 * says that something is at stake (`useUnsaved`, `useStake`), it asks before that is thrown away, or stays.
 */
export function Dialog(props: DialogProps) {
  const layer = useLateLayer(DIALOG, props.isOpen);
  return layer && <layer.Dialog {...props} />;
}
