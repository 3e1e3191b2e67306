import type { ReactNode } from "react";

export type PageHeaderProps = {
  title: ReactNode;
  /** One line that says what the page is for. */
  purpose: ReactNode;
  /** The primary action, at the right. */
  action?: ReactNode;
};

/** The beginning of a page. */
export function PageHeader({ title, purpose, action }: PageHeaderProps) {
  return (
    <div className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 grow basis-72">
        <h1
          tabIndex={-1}
          className="font-semibold text-xl tracking-tight outline-none [overflow-wrap:anywhere] focus-visible:shadow-none"
        >
          {title}
        </h1>
        <p className="mt-1 max-w-[72ch] text-ink-muted">{purpose}</p>
      </div>
      {action !== undefined && (
        <div className="flex max-w-full shrink-0 flex-wrap gap-2">{action}</div>
      )}
    </div>
  );
}
