import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import BookOpen from "lucide-react/icons/book-open";
import { FailureNotice } from "#components/failure-notice.tsx";
import { openReference } from "#platform/open-reference.ts";
import { usePlatform } from "#platform/platform.tsx";

/** The way to the reference of the operator's API; nothing where there is none. */
export function ReferenceCard() {
  const { api, config } = usePlatform();
  const opening = useMutation({ mutationFn: () => openReference(api, config) });
  if (config.reference === null) {
    return null;
  }
  return (
    <section
      aria-labelledby="reference-title"
      className="mt-6 max-w-3xl rounded-card border border-line bg-surface p-5"
    >
      <h2 id="reference-title" className="font-semibold">
        <Trans>API reference</Trans>
      </h2>
      <p className="mt-1 mb-3 text-ink-muted">
        <Trans>
          Every operation of {config.brand.name}, with samples in six languages and a form to try it
          with your key.
        </Trans>
      </p>
      {opening.isError && (
        <FailureNotice what={t`The reference could not be opened.`} cause={opening.error} />
      )}
      <Button
        progress={opening.isPending ? t`Opening…` : undefined}
        onClick={() => opening.mutate()}
      >
        <BookOpen className="size-4" aria-hidden="true" />
        <Trans>Open the reference</Trans>
      </Button>
    </section>
  );
}
