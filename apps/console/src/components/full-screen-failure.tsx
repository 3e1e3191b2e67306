import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";

export type FullScreenFailureProps = {
  title: string;
  /** What failed, as a sentence. */
  what: string;
  isRetrying?: boolean;
  onRetry: () => void;
  /** Omitted where no one can be signed in. */
  onSignOut?: () => void;
};

/** What stands in for the whole page when it cannot go on, with the ways on. */
export function FullScreenFailure(props: FullScreenFailureProps) {
  const { title, what, isRetrying = false, onRetry, onSignOut } = props;
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-12">
      <div role="alert" className="max-w-md text-center">
        <h1 className="font-semibold text-lg">{title}</h1>
        <p className="mt-2 text-ink-muted [overflow-wrap:anywhere]">{what}</p>
        <div className="mt-6 flex justify-center gap-3">
          <Button look="primary" progress={isRetrying ? t`Retrying…` : undefined} onClick={onRetry}>
            <Trans>Retry</Trans>
          </Button>
          {onSignOut !== undefined && (
            <Button onClick={onSignOut}>
              <Trans>Sign out</Trans>
            </Button>
          )}
        </div>
      </div>
    </main>
  );
}
