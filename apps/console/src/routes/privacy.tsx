import { createFileRoute } from "@tanstack/react-router";
import { PrivacyPage } from "#features/legal/privacy-page.tsx";
import { pageContentQuery } from "#platform/page-content.ts";

export const Route = createFileRoute("/privacy")({
  // The page is as long as its text before a position is restored in it. A failure is the page's to show.
  loader: async ({ context }) =>
    await context.queryClient.prefetchQuery(pageContentQuery("privacy")),
  component: PrivacyPage,
});
