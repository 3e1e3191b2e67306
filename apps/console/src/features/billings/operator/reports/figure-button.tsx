import type { ReactNode } from "react";

/** A figure of a table that opens the rows behind it. */
export function FigureButton({
  label,
  onOpen,
  children,
}: {
  /** What is opened, for screen readers: "New customers of November 2026: +$12.00". */
  label: string;
  onOpen: () => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onOpen}
      className="cursor-pointer rounded-sm tabular-nums underline decoration-line-control decoration-dotted underline-offset-4 hover:decoration-ink touch:min-h-11"
    >
      {children}
    </button>
  );
}
