import { createFileRoute } from "@tanstack/react-router";
import { parseConnectSearch } from "#features/connect/connect.view-model.ts";
import { ConnectPage } from "#features/connect/connect-page.tsx";

export const Route = createFileRoute("/_app/connect")({
  validateSearch: parseConnectSearch,
  component: ConnectRoute,
});

function ConnectRoute() {
  return <ConnectPage search={Route.useSearch()} />;
}
