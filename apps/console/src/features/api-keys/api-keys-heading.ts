/** How the screen is headed, also while there is nothing to show on it. */
export const API_KEYS_PAGE = {
  title: "API keys",
  purpose: "The keys this tenant’s programs use to call the API.",
} as const;
