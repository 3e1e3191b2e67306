import { createContext } from "react";

/** Asks before the page is left. */
export type LeaveGuard = {
  /** True while leaving loses something: then the browser itself asks before a reload or another site. */
  isHeld: () => boolean;
  /** Whether the page may be left: by Back and Forward, or by a link and what a program does. May ask the person. */
  mayLeave: (by: "history" | "link") => boolean | Promise<boolean>;
};

/** Adds a guard that is asked before the page is left; returns a function that removes it. The app passes it in, as it owns the router. */
export type AddLeaveGuard = (guard: LeaveGuard) => () => void;

export const LeaveGuardContext = createContext<AddLeaveGuard | undefined>(undefined);
