import { CSPProvider } from "@base-ui/react/csp-provider";
import type { ReactNode } from "react";

/** Keeps the components below from adding style elements, which a strict content security policy forbids. */
export function StylePolicy({ children }: { children: ReactNode }) {
  return <CSPProvider disableStyleElements>{children}</CSPProvider>;
}
