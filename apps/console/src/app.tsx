import { t } from "@lingui/core/macro";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { UiProvider } from "@turnpike/ui/ui-provider";
import { useMemo } from "react";
import { FullScreenFailure } from "#components/full-screen-failure.tsx";
import { FullScreenSpinner } from "#components/full-screen-spinner.tsx";
import { RouterSiteLink } from "#components/router-site-link.tsx";
import { SessionGate } from "#components/session-gate.tsx";
import { SiteLinkProvider } from "#components/site-link.tsx";
import { PlatformProvider } from "#platform/platform.tsx";
import { clientConfigQuery } from "#platform/seed-queries.ts";
import { toAddLeaveGuard } from "./guard-leave.ts";
import type { Console, StartedConsole } from "./start-console.ts";

/** Loads the deployment's own description, then shows the page. */
export function App({ console }: { console: Console }) {
  return (
    <QueryClientProvider client={console.queryClient}>
      <ConfiguredApp console={console} />
    </QueryClientProvider>
  );
}

function ConfiguredApp({ console }: { console: Console }) {
  const config = useQuery(clientConfigQuery());
  if (config.isError) {
    return (
      <FullScreenFailure
        title={t`The console cannot start`}
        what={t`The configuration of this deployment could not be loaded: ${config.error.message}`}
        isRetrying={config.isFetching}
        onRetry={() => void config.refetch()}
      />
    );
  }
  if (config.data === undefined) {
    return <FullScreenSpinner />;
  }
  return <StartedApp {...console.start(config.data)} />;
}

function StartedApp({ platform, router }: StartedConsole) {
  const guardLeave = useMemo(() => toAddLeaveGuard(router.history), [router]);
  return (
    <UiProvider guardLeave={guardLeave}>
      <PlatformProvider value={platform}>
        <SiteLinkProvider value={RouterSiteLink}>
          <SessionGate>
            <RouterProvider router={router} />
          </SessionGate>
        </SiteLinkProvider>
      </PlatformProvider>
    </UiProvider>
  );
}
