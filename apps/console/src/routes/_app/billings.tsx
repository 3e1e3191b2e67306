import { createFileRoute } from "@tanstack/react-router";
import { BillingsPage } from "#features/billings/billings-page.tsx";

export const Route = createFileRoute("/_app/billings")({
  component: BillingsPage,
});
