import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type ReactNode, useEffect, useMemo } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { createApiClient } from "#platform/api-client.ts";
import { applyBrand } from "#platform/apply-brand.ts";
import { type ClientConfig, loadClientConfig } from "#platform/client-config.ts";
import type { CredentialStore } from "#platform/credential.ts";
import { PlatformProvider } from "#platform/platform.tsx";
import type { SetupLink } from "#platform/setup-link.ts";
import { IndexPage } from "./routes/index-page.tsx";

export type AppProps = { credentials: CredentialStore; setupLink: SetupLink };

/** Loads what the deployment says about itself, then shows the page. */
export function App(props: AppProps) {
  const config = useQuery({
    queryKey: ["client-config"],
    queryFn: ({ signal }) => loadClientConfig(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (config.isError) {
    return (
      <main className="mx-auto max-w-xl px-4 pt-24">
        <h1 className="mb-3 font-semibold text-xl">The console cannot start</h1>
        <FailureNotice
          what="The configuration of this deployment could not be loaded."
          cause={config.error}
          wayOn="Look whether the server is running, then try again."
          onRetry={() => void config.refetch()}
        />
      </main>
    );
  }
  return config.data === undefined ? (
    <StartSkeleton />
  ) : (
    <ConfiguredApp config={config.data} {...props}>
      <IndexPage />
    </ConfiguredApp>
  );
}

type ConfiguredAppProps = AppProps & { config: ClientConfig; children: ReactNode };

function ConfiguredApp({ config, credentials, setupLink, children }: ConfiguredAppProps) {
  // The outside system is the document: its title and the custom property of the accent.
  useEffect(() => applyBrand(document, config.brand), [config.brand]);
  const platform = useMemo(() => {
    const apiUrl = config.urls.api;
    return {
      config,
      credentials,
      setupLink,
      api: createApiClient({ apiUrl, getCredential: credentials.get }),
      apiWith: (key: string) => createApiClient({ apiUrl, getCredential: () => key }),
    };
  }, [config, credentials, setupLink]);
  return <PlatformProvider value={platform}>{children}</PlatformProvider>;
}

/** The outline of the page, while the one small file that it needs arrives. */
function StartSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="mx-auto max-w-6xl px-4 sm:px-6">
      <div className="flex h-16 items-center">
        <Skeleton className="h-7 w-36" />
      </div>
      <div className="space-y-2 pt-6 pb-6">
        <Skeleton className="h-7 w-72 max-w-full" />
        <Skeleton className="h-4 w-96 max-w-full" />
      </div>
      <Skeleton className="h-96 w-full rounded-card opacity-50" />
    </div>
  );
}
