import type { ReactNode } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { BrandMark } from "./brand-mark.tsx";

export type PageFrameProps = {
  title: string;
  /** One line that says what the page is for. */
  purpose: string;
  children: ReactNode;
};

/** Brand, title and content of a page. */
export function PageFrame({ title, purpose, children }: PageFrameProps) {
  const { config } = usePlatform();
  return (
    <div className="mx-auto flex min-h-dvh max-w-6xl flex-col px-4 sm:px-6">
      <header className="flex h-16 items-center justify-between gap-4">
        <p className="flex items-center gap-2.5 font-semibold text-base tracking-tight">
          <BrandMark className="size-7" />
          {config.brand.name}
        </p>
        <span className="font-mono text-ink-faint text-xs">{config.version}</span>
      </header>
      <main className="grow pb-12">
        <div className="pt-6 pb-6">
          <h1 className="font-semibold text-xl tracking-tight">{title}</h1>
          <p className="mt-1 max-w-[72ch] text-ink-muted">{purpose}</p>
        </div>
        <div className="space-y-4">{children}</div>
      </main>
    </div>
  );
}
