import { createFileRoute } from "@tanstack/react-router";
import { AiIntelligencePage } from "#features/ai-intelligence/ai-intelligence-page.tsx";

export const Route = createFileRoute("/_app/ai-intelligence")({
  component: AiIntelligencePage,
});
