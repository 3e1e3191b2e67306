import type { ComponentProps } from "react";
import { joinClasses } from "./join-classes.tsx";

const LOOKS = {
  primary: "bg-action text-on-action hover:bg-action-hover",
  secondary: "border border-line-control bg-surface text-ink hover:bg-hover",
  quiet: "text-ink-muted hover:bg-hover hover:text-ink",
} as const;

export type ButtonProps = ComponentProps<"button"> & {
  look?: keyof typeof LOOKS;
  /** What happens right now, such as "Creating…". It stands in for the label and the button cannot be pressed. */
  progress?: string | undefined;
};

/** A push button. Under `progress` it stays focusable, so that the keyboard does not lose its place. */
export function Button({
  look = "secondary",
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
      className={joinClasses(
        "inline-flex h-9 shrink-0 cursor-pointer items-center justify-center gap-2 rounded-control px-3 font-medium text-sm whitespace-nowrap motion-safe:transition-colors motion-safe:duration-150 ease-out disabled:cursor-not-allowed disabled:opacity-50 aria-disabled:cursor-progress",
        LOOKS[look],
        className,
      )}
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

function Spinner() {
  return (
    <svg
      viewBox="0 0 16 16"
      className="size-4 motion-safe:animate-spin"
      aria-hidden="true"
      fill="none"
    >
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="2" opacity="0.3" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
