import type { ReactNode } from "react";

/** What surrounds every signed-in screen. */
export function AppFrame({ children }: { children: ReactNode }) {
  return (
    <main id="content" tabIndex={-1} className="min-h-dvh outline-none">
      {children}
    </main>
  );
}
