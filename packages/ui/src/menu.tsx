import { cloneElement } from "react";
import { createLateLayer, useLateLayer } from "./late-layer.tsx";
import { isArrow, useLateTrigger } from "./late-trigger.tsx";
import type {
  MenuCheckboxItemProps,
  MenuGroupProps,
  MenuItemProps,
  MenuProps,
  MenuRadioGroupProps,
} from "./layers/menu.tsx";

const MENU = createLateLayer(() => import("./layers/menu.tsx"));

/** Actions behind a button. Arrow keys, first letters, Enter and Escape; the focus returns to the button. */
export function Menu(props: MenuProps) {
  const { layer, ref, toWaiting } = useLateTrigger(MENU, { isOpenKey: isArrow });
  return layer === undefined ? (
    toWaiting(cloneElement(props.trigger, { "aria-haspopup": "menu" }))
  ) : (
    <layer.Menu {...props} trigger={cloneElement(props.trigger, { ref })} />
  );
}

/** One action, or a way to another place. */
export function MenuItem(props: MenuItemProps) {
  const menu = useLateLayer(MENU, false);
  return menu && <menu.MenuItem {...props} />;
}

/** Something to switch on or off; the menu stays open for the next one. */
export function MenuCheckboxItem(props: MenuCheckboxItemProps) {
  const menu = useLateLayer(MENU, false);
  return menu && <menu.MenuCheckboxItem {...props} />;
}

/** One of a few, below a heading. */
export function MenuRadioGroup<Value extends string>(props: MenuRadioGroupProps<Value>) {
  const menu = useLateLayer(MENU, false);
  return menu && <menu.MenuRadioGroup {...props} />;
}

/** Entries that belong together, with a heading that names them. */
export function MenuGroup(props: MenuGroupProps) {
  const menu = useLateLayer(MENU, false);
  return menu && <menu.MenuGroup {...props} />;
}

export function MenuSeparator() {
  const menu = useLateLayer(MENU, false);
  return menu && <menu.MenuSeparator />;
}
