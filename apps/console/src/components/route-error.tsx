import { Trans } from "@lingui/react/macro";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { ErrorFallback } from "./error-fallback.tsx";

/** The router's error view: the route's error, and another try. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <div className="mx-auto max-w-xl py-12">
      <ErrorFallback error={error} isPage />
      <div className="px-4">
        <Button
          onClick={() => {
            reset();
            void router.invalidate();
          }}
        >
          <Trans>Try again</Trans>
        </Button>
      </div>
    </div>
  );
}
