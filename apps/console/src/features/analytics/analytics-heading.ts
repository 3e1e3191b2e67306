import { t } from "@lingui/core/macro";

/** The screen's heading, also shown while the screen is empty. */
export const ANALYTICS_PAGE = {
  title: t`Analytics`,
  purpose: t`Your calls, their outcomes and how long they took.`,
} as const;
