import type { ReactNode } from "react";

export type PageProps = {
  title: string;
  /** One line that says what the page is for. */
  purpose: string;
  /** The primary action, at the right of the title. */
  action?: ReactNode;
  children?: ReactNode;
};

/** Title, purpose, primary action and content of a signed-in screen. */
export function Page({ title, purpose, action, children }: PageProps) {
  return (
    <div className="mx-auto w-full max-w-[80rem] px-4 py-6 sm:px-6">
      <div className="mb-6 flex flex-wrap items-start justify-between gap-4">
        <div>
          <h1 className="font-semibold text-xl tracking-tight">{title}</h1>
          <p className="mt-1 max-w-[72ch] text-ink-muted">{purpose}</p>
        </div>
        {action}
      </div>
      {children}
    </div>
  );
}
