import { Page } from "#components/page.tsx";

/** `/ai-intelligence` */
export function AiIntelligencePage() {
  return (
    <Page
      title="AI intelligence"
      purpose="What changed, what is coming, and answers to questions in plain words."
    />
  );
}
