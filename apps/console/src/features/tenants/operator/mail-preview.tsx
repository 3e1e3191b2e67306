import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useCallback, useLayoutEffect, useRef, useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { operatorQueries } from "../tenants.queries.ts";
import { fillMailFrame } from "./fill-mail-frame.ts";

type Scheme = "light" | "dark";
const SCHEMES = [
  { value: "light", label: t`Light` },
  { value: "dark", label: t`Dark` },
] as const;

/** A mail as its reader sees it, in a frame in which nothing runs. */
export function MailPreview({ mailId }: { mailId: string }) {
  const { api } = usePlatform();
  const preview = useQuery(operatorQueries.mailPreview(api, mailId));
  const [scheme, setScheme] = useState<Scheme>("light");
  if (preview.data?.html === null) {
    return null;
  }
  return (
    <section aria-labelledby="mail-preview">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 id="mail-preview" className="font-semibold">
          <Trans>As its reader sees it</Trans>
        </h3>
        <SegmentedControl
          label={t`Mail program`}
          segments={SCHEMES}
          value={scheme}
          onValueChange={setScheme}
        />
      </div>
      {preview.isError ? (
        <FailureNotice
          what={t`The mail could not be shown.`}
          cause={preview.error}
          onRetry={() => void preview.refetch()}
        />
      ) : preview.data === undefined ? (
        <Skeleton className="h-64 w-full" />
      ) : (
        <MailFrame html={preview.data.html} scheme={scheme} />
      )}
      <p className="mt-2 text-ink-muted text-xs">
        <Trans>Links do not open here: that would use them up.</Trans>
      </p>
    </section>
  );
}

function MailFrame({ html, scheme }: { html: string; scheme: Scheme }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(320);
  const fill = useCallback(() => {
    const page = frame.current?.contentDocument;
    if (page?.body) {
      fillMailFrame(page, { html, scheme });
      setHeight(page.body.scrollHeight);
    }
  }, [html, scheme]);
  useLayoutEffect(fill, [fill]);
  return (
    <iframe
      ref={frame}
      title={t`The mail as its reader sees it`}
      // No script, form, window or navigation; the console itself fills it.
      sandbox="allow-same-origin"
      className="w-full rounded-control border border-line"
      style={{ height, colorScheme: scheme }}
      // Some browsers replace the empty page by another one once it has loaded.
      onLoad={fill}
    />
  );
}
