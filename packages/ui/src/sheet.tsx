import { createLateLayer, useLateLayer } from "./late-layer.tsx";
import type { SheetProps } from "./layers/sheet.tsx";

const SHEET = createLateLayer(() => import("./layers/sheet.tsx"));

/** A panel at the edge of the page. Focus stays inside and returns to where it came from. */
export function Sheet(props: SheetProps) {
  const layer = useLateLayer(SHEET, props.isOpen);
  return layer && <layer.Sheet {...props} />;
}
