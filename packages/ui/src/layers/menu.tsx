import { Menu as BaseMenu } from "@base-ui/react/menu";
import Check from "lucide-react/icons/check";
import type { ReactElement, ReactNode } from "react";
import { joinClasses } from "../join-classes.tsx";
import {
  OPTION_CLASSES,
  POPUP_CLASSES,
  POSITIONER_CLASSES,
  SCROLLING_CLASSES,
} from "../layer-styles.tsx";

export type MenuProps = {
  /** The button that opens it: one element that takes a ref, with a name of its own. */
  trigger: ReactElement<Record<string, unknown>>;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
  children: ReactNode;
};

/** Actions behind a button. Arrow keys, first letters, Enter and Escape; the focus returns to the button. */
export function Menu({ trigger, align = "end", side = "bottom", className, children }: MenuProps) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner
          className={POSITIONER_CLASSES}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
        >
          <BaseMenu.Popup
            className={joinClasses(POPUP_CLASSES, SCROLLING_CLASSES, "min-w-48 p-1", className)}
          >
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

export type MenuItemProps = {
  icon?: ReactNode;
  /** Shown at the right, such as the keyboard shortcut. */
  aside?: ReactNode;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** A link of the router: the element it is, such as `<Link to="/plans" />`. */
  link?: ReactElement<Record<string, unknown>>;
  /** A link that leaves the console. */
  href?: string;
  onSelect?: () => void;
  children: ReactNode;
};

/** One action, or a way to another place. */
export function MenuItem(props: MenuItemProps) {
  const className = joinClasses(
    OPTION_CLASSES,
    "[&_svg]:size-4 [&_svg]:shrink-0",
    props.isDanger === true
      ? "text-danger data-highlighted:bg-danger-soft"
      : "data-highlighted:bg-hover",
  );
  const content = (
    <>
      {props.icon}
      <span className="min-w-0 grow truncate">{props.children}</span>
      {props.aside}
    </>
  );
  if (props.link !== undefined || props.href !== undefined) {
    return (
      <BaseMenu.LinkItem
        {...(props.link === undefined ? { href: props.href } : { render: props.link })}
        className={className}
        closeOnClick
        {...(props.onSelect !== undefined && { onClick: props.onSelect })}
      >
        {content}
      </BaseMenu.LinkItem>
    );
  }
  return (
    <BaseMenu.Item
      className={className}
      disabled={props.isDisabled}
      {...(props.onSelect !== undefined && { onClick: props.onSelect })}
    >
      {content}
    </BaseMenu.Item>
  );
}

export type MenuCheckboxItemProps = {
  isChecked: boolean;
  onCheckedChange: (isChecked: boolean) => void;
  isDisabled?: boolean;
  children: ReactNode;
};

/** Something to switch on or off; the menu stays open for the next one. */
export function MenuCheckboxItem(props: MenuCheckboxItemProps) {
  return (
    <BaseMenu.CheckboxItem
      checked={props.isChecked}
      onCheckedChange={(isChecked) => props.onCheckedChange(isChecked)}
      disabled={props.isDisabled}
      className={joinClasses(OPTION_CLASSES, "pl-8 data-highlighted:bg-hover")}
    >
      <BaseMenu.CheckboxItemIndicator className="absolute left-2">
        <Check className="size-4" aria-hidden="true" />
      </BaseMenu.CheckboxItemIndicator>
      {props.children}
    </BaseMenu.CheckboxItem>
  );
}

export type MenuRadioGroupProps<Value extends string> = {
  label: string;
  choices: readonly { value: Value; label: string; icon?: ReactNode }[];
  value: Value;
  onValueChange: (value: Value) => void;
};

/** One of a few, below a heading. */
export function MenuRadioGroup<Value extends string>(props: MenuRadioGroupProps<Value>) {
  return (
    <BaseMenu.RadioGroup
      value={props.value}
      onValueChange={(value: Value) => props.onValueChange(value)}
    >
      <BaseMenu.Group>
        <MenuLabel>{props.label}</MenuLabel>
        {props.choices.map((choice) => (
          <BaseMenu.RadioItem
            key={choice.value}
            value={choice.value}
            closeOnClick
            className={joinClasses(OPTION_CLASSES, "pr-8 data-highlighted:bg-hover [&_svg]:size-4")}
          >
            {choice.icon}
            {choice.label}
            <BaseMenu.RadioItemIndicator className="absolute right-2">
              <Check aria-hidden="true" />
            </BaseMenu.RadioItemIndicator>
          </BaseMenu.RadioItem>
        ))}
      </BaseMenu.Group>
    </BaseMenu.RadioGroup>
  );
}

export type MenuGroupProps = { label: ReactNode; children: ReactNode };

/** Entries that belong together, with a heading that names them. */
export function MenuGroup({ label, children }: MenuGroupProps) {
  return (
    <BaseMenu.Group>
      <MenuLabel>{label}</MenuLabel>
      {children}
    </BaseMenu.Group>
  );
}

function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <BaseMenu.GroupLabel className="px-2 pt-1.5 pb-1 font-medium text-ink-muted text-xs">
      {children}
    </BaseMenu.GroupLabel>
  );
}

export function MenuSeparator() {
  return <BaseMenu.Separator className="-mx-1 my-1 h-px bg-line" />;
}
