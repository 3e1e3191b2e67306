import { createContext } from "react";

/** Asks before the page is left. */
export type LeaveWarden = {
  /** True while leaving loses something: then the browser itself asks before a reload or another site. */
  isHeld: () => boolean;
  /** Whether the page may be left: by Back and Forward, or by a link and what a program does. May ask the person. */
  mayLeave: (by: "history" | "link") => boolean | Promise<boolean>;
};

/** Lets the warden be asked from now on; gives back what ends that. The app has it: there is no router here. */
export type LeaveGuard = (warden: LeaveWarden) => () => void;

export const LeaveGuardContext = createContext<LeaveGuard | undefined>(undefined);
