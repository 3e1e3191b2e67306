import { CSPProvider } from "@base-ui/react/csp-provider";
import type { ReactNode } from "react";
import { useLayersOnAction } from "./late-layer.tsx";
import { type AddLeaveGuard, LeaveGuardContext } from "./leave-guard.tsx";

export type UiProviderProps = {
  /** Asks a form or a secret that would be lost before the page is left. Left out: nothing asks. */
  guardLeave?: AddLeaveGuard;
  children: ReactNode;
};

/** What the components need around them. No `<style>` element: the policy of the console allows style sheets of its own origin alone. */
export function UiProvider({ guardLeave, children }: UiProviderProps) {
  useLayersOnAction();
  return (
    <CSPProvider disableStyleElements>
      <LeaveGuardContext value={guardLeave}>{children}</LeaveGuardContext>
    </CSPProvider>
  );
}
