import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactNode } from "react";
import { type AddLeaveGuard, LeaveGuardContext } from "./leave-guard.tsx";

/** From the pointer's arrival to a tooltip, in milliseconds; the next one beside it opens at once. */
const TOOLTIP_DELAY_MS = 400;

export type UiProviderProps = {
  /** Asks a form or a secret that would be lost before the page is left. Left out: nothing asks. */
  guardLeave?: AddLeaveGuard;
  children: ReactNode;
};

/** What the components need around them. No `<style>` element: the policy of the console allows style sheets of its own origin alone. */
export function UiProvider({ guardLeave, children }: UiProviderProps) {
  return (
    <CSPProvider disableStyleElements>
      <LeaveGuardContext value={guardLeave}>
        <Tooltip.Provider delay={TOOLTIP_DELAY_MS}>{children}</Tooltip.Provider>
      </LeaveGuardContext>
    </CSPProvider>
  );
}
