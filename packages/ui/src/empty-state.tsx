import type { ReactElement, ReactNode } from "react";
import { CodeBlock } from "./code-block.tsx";

export type EmptyStateProps = {
  icon: ReactElement;
  /** What this is: "No API keys yet". */
  title: string;
  /** Why it is empty, and what comes here. */
  children: ReactNode;
  /** The one action that fills it. */
  action?: ReactNode;
  /** The same from a terminal. */
  snippet?: { subject: string; code: string };
};

/** Shown where there is nothing yet. */
export function EmptyState({ icon, title, children, action, snippet }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-xl flex-col items-center px-5 py-12 text-center">
      <div
        aria-hidden="true"
        className="mb-4 grid size-11 place-items-center rounded-card border border-line bg-sunken text-ink-muted [&_svg]:size-5"
      >
        {icon}
      </div>
      <p className="font-semibold text-base">{title}</p>
      <div className="mt-1 max-w-[52ch] text-ink-muted">{children}</div>
      {action !== undefined && <div className="mt-5">{action}</div>}
      {snippet !== undefined && (
        <div className="mt-6 w-full text-left">
          <CodeBlock code={snippet.code} subject={snippet.subject} />
        </div>
      )}
    </div>
  );
}
