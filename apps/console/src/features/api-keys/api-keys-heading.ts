import { t } from "@lingui/core/macro";

/** The screen's heading, also shown while the screen is empty. */
export const API_KEYS_PAGE = {
  title: t`API keys`,
  purpose: t`The keys this tenant’s programs use to call the API.`,
} as const;
