import { Page } from "#components/page.tsx";

/** `/plans` */
export function PlansPage() {
  return <Page title="Plans" purpose="The plans side by side, with every limit and price." />;
}
