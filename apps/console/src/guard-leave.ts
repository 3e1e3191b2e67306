import type { RouterHistory } from "@tanstack/react-router";
import type { AddLeaveGuard } from "@turnpike/ui/leave-guard";

/**
 * Asks forms and secrets before the router leaves their page. Replacing the address is never blocked, so that the console
 * can go on when a dialog is done or a session ends.
 */
export function toAddLeaveGuard(history: RouterHistory): AddLeaveGuard {
  return (guard) =>
    history.block({
      enableBeforeUnload: guard.isHeld,
      blockerFn: async ({ action }) =>
        action !== "REPLACE" && !(await guard.mayLeave(action === "PUSH" ? "link" : "history")),
    });
}
