import { Page } from "#components/page.tsx";

/** `/billings` */
export function BillingsPage() {
  return (
    <Page title="Billings" purpose="What this period costs so far, and the invoices of the past." />
  );
}
