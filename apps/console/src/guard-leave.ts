import type { RouterHistory } from "@tanstack/react-router";
import type { AddLeaveGuard } from "@turnpike/ui/leave-guard";

/**
 * Lets open forms and secrets block the router from leaving their page. Replacing the address is never blocked, so that the
 * console can go on when a dialog closes or a session ends.
 */
export function toAddLeaveGuard(history: RouterHistory): AddLeaveGuard {
  return (guard) =>
    history.block({
      enableBeforeUnload: guard.isHeld,
      blockerFn: async ({ action }) =>
        action !== "REPLACE" && !(await guard.mayLeave(action === "PUSH" ? "link" : "history")),
    });
}
