import type { ComponentProps } from "react";
import { joinClasses } from "./join-classes.tsx";
import { Spinner } from "./spinner.tsx";

const LOOKS = {
  // An edge that is not seen until the system forces its colours, which takes the ground away.
  primary: "border border-transparent bg-action text-on-action hover:bg-action-hover",
  secondary: "border border-line-control bg-surface text-ink hover:bg-hover",
  quiet: "text-ink-muted hover:bg-hover hover:text-ink",
  danger:
    "border border-transparent bg-danger-solid text-on-danger-solid hover:bg-danger-solid-hover",
} as const;

const SIZES = {
  medium: "h-9 px-3 text-sm",
  small: "h-8 px-2.5 text-xs",
  icon: "size-9 touch:min-w-11 [&_svg]:size-4",
} as const;

export type ButtonLook = keyof typeof LOOKS;
/** `icon` is for a picture alone. */
export type ButtonSize = keyof typeof SIZES;

/** The look of a button, for what is one only to the eye: a link, the trigger of a menu. */
export function toButtonClasses(look: ButtonLook, size: ButtonSize = "medium"): string {
  return joinClasses(
    "inline-flex shrink-0 cursor-pointer items-center justify-center gap-2 rounded-control font-medium whitespace-nowrap transition-colors duration-150 ease-out touch:min-h-11 disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-progress data-disabled:cursor-not-allowed data-disabled:opacity-50",
    SIZES[size],
    LOOKS[look],
  );
}

export type ButtonProps = ComponentProps<"button"> & {
  look?: ButtonLook;
  size?: ButtonSize;
  /** What happens right now, such as "Creating…". It stands in for the label and the button cannot be pressed. */
  progress?: string | undefined;
};

/** A push button. Under `progress` it stays focusable, so that the keyboard does not lose its place. */
export function Button({
  look = "secondary",
  size = "medium",
  progress,
  className,
  children,
  onClick,
  type = "button",
  ...rest
}: ButtonProps) {
  const isBusy = progress !== undefined;
  return (
    <button
      {...rest}
      type={isBusy ? "button" : type}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? undefined : onClick}
      className={joinClasses(toButtonClasses(look, size), className)}
    >
      {isBusy ? (
        <>
          <Spinner />
          {progress}
        </>
      ) : (
        children
      )}
    </button>
  );
}
