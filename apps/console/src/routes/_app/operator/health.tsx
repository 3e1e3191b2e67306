import { createFileRoute } from "@tanstack/react-router";
import { HealthPage } from "#features/tenants/operator/health-page.tsx";

export const Route = createFileRoute("/_app/operator/health")({
  component: HealthPage,
});
