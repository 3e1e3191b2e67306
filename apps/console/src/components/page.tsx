import { PageHeader } from "@turnpike/ui/page-header";
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
export function Page({ children, ...header }: PageProps) {
  return (
    <div className="mx-auto w-full max-w-[80rem] px-4 py-6 sm:px-6">
      <PageHeader {...header} />
      {children}
    </div>
  );
}
