import type { ReactNode } from "react";

/** The buttons at the foot of a layer: the way out first, the action last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="mt-5 flex flex-wrap justify-end gap-2 max-sm:flex-col-reverse max-sm:[&>*]:w-full">
      {children}
    </div>
  );
}
