/** How the screen is headed, also while there is nothing to show on it. */
export const ANALYTICS_PAGE = {
  title: "Analytics",
  purpose: "Your calls, their outcomes and how long they took.",
} as const;
