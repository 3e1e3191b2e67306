import type { ComponentProps, ReactElement } from "react";
import type { ButtonLook } from "./button.tsx";
import { toButtonClasses } from "./button.tsx";
import { joinClasses } from "./join-classes.tsx";
import { Tooltip } from "./tooltip.tsx";

export type IconButtonProps = Omit<ComponentProps<"button">, "children" | "aria-label"> & {
  /** The name, read out and shown as a tooltip. */
  label: string;
  icon: ReactElement;
  look?: ButtonLook;
};

/** A button with a picture instead of words. */
export function IconButton({ label, icon, look = "quiet", className, ...rest }: IconButtonProps) {
  return (
    <Tooltip content={label} isName>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={joinClasses(toButtonClasses(look, "icon"), className)}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
