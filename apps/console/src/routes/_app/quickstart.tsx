import { createFileRoute } from "@tanstack/react-router";
import { QuickstartPage } from "#features/quickstart/quickstart-page.tsx";

export const Route = createFileRoute("/_app/quickstart")({
  component: QuickstartPage,
});
