import { Page } from "#components/page.tsx";

/** `/analytics` */
export function AnalyticsPage() {
  return <Page title="Analytics" purpose="Requests over time, by outcome, route and key." />;
}
