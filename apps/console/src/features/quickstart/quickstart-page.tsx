import { Page } from "#components/page.tsx";

/** `/quickstart` */
export function QuickstartPage() {
  return (
    <Page
      title="Quickstart"
      purpose="From an empty tenant to a call that is metered, in five steps."
    />
  );
}
