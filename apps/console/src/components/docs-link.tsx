import type { ReactNode } from "react";

export type DocsLinkProps = {
  /** A page of the documentation, with a heading or without: "events#rejections". */
  page: string;
  children: ReactNode;
};

/** Leads from a screen to the page of the documentation that says how it works. */
export function DocsLink({ page, children }: DocsLinkProps) {
  return (
    <a href={`/docs/${page}`} className="rounded-sm underline underline-offset-4 hover:text-ink">
      {children}
    </a>
  );
}
