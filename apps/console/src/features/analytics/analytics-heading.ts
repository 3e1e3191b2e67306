/** The screen's heading, also shown while the screen is empty. */
export const ANALYTICS_PAGE = {
  title: "Analytics",
  purpose: "Your calls, their outcomes and how long they took.",
} as const;
