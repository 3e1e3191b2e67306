import type { RouterHistory } from "@tanstack/react-router";
import type { LeaveGuard } from "@turnpike/ui/leave-guard";

/**
 * Lets forms and secrets be asked before the router leaves their page. What replaces the address is never held up: so the
 * console itself goes on, when a dialog is done or a session ends.
 */
export function toLeaveGuard(history: RouterHistory): LeaveGuard {
  return (warden) =>
    history.block({
      enableBeforeUnload: warden.isHeld,
      blockerFn: async ({ action }) =>
        action !== "REPLACE" && !(await warden.mayLeave(action === "PUSH" ? "link" : "history")),
    });
}
