import { createFileRoute } from "@tanstack/react-router";
import { OperatorHomePage } from "#features/tenants/operator/home/operator-home-page.tsx";

export const Route = createFileRoute("/_app/operator/")({
  component: OperatorHomePage,
});
