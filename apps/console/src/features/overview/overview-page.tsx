import { Page } from "#components/page.tsx";

/** `/overview` */
export function OverviewPage() {
  return (
    <Page
      title="Overview"
      purpose="This period at a glance: requests against quota, success rate, latency and spend."
    />
  );
}
