import type { ReactNode } from "react";
import { Tooltip } from "./tooltip.tsx";
import { VisuallyHidden } from "./visually-hidden.tsx";

export type ExactValueProps = {
  /** What is shown: "12.3K". */
  children: ReactNode;
  /** The whole truth, shown on hover and focus and read out instead: "12,345 requests". */
  exact: string;
  /** In long tables the keyboard would stop at every cell: there only the pointer asks. */
  isFocusable?: boolean;
};

/** A short form of a value whose exact one is a look away. */
export function ExactValue({ children, exact, isFocusable = true }: ExactValueProps) {
  return (
    <Tooltip content={exact} isName>
      <span
        className="cursor-default rounded-sm tabular-nums underline-offset-4 hover:underline hover:decoration-line-control hover:decoration-dotted"
        tabIndex={isFocusable ? 0 : undefined}
      >
        <span aria-hidden="true">{children}</span>
        <VisuallyHidden>{exact}</VisuallyHidden>
      </span>
    </Tooltip>
  );
}
