import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";

export type ErrorFallbackProps = {
  error: unknown;
  /** It stands in for a whole page, whose heading it is then. */
  isPage?: boolean;
};

/** What is shown where something could not be rendered: that it failed, and why on demand. */
export function ErrorFallback({ error, isPage = false }: ErrorFallbackProps) {
  const Title = isPage ? "h1" : "strong";
  const [isShown, setIsShown] = useState(false);
  return (
    <div role="alert" className="p-4">
      <div className="flex flex-wrap items-center gap-3">
        <Title className="font-semibold">
          <Trans>Something went wrong!</Trans>
        </Title>
        <Button aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? t`Hide Error` : t`Show Error`}
        </Button>
      </div>
      {isShown && (
        <pre className="mt-3 overflow-auto rounded-control border border-danger/30 bg-danger-soft p-3 font-mono text-danger text-xs whitespace-pre-wrap">
          <code>{error instanceof Error ? error.message : String(error)}</code>
        </pre>
      )}
    </div>
  );
}
