import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge, type Tone } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { ApiClient } from "#platform/api-client.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { homeQueries } from "./home.queries.ts";

type Check = Awaited<ReturnType<ApiClient["checks"]["run"]>>["checks"][number];

const STATES: Readonly<Record<Check["state"], { tone: Tone; label: string }>> = {
  ok: { tone: "ok", label: "OK" },
  warning: { tone: "warning", label: t`To do` },
  failed: { tone: "danger", label: t`Failed` },
  unknown: { tone: "neutral", label: t`Unknown` },
};

/** The list of `turnpike doctor`: what is missing before customers come, and what stopped working since. */
export function ChecksCard() {
  const { api } = usePlatform();
  const { data, isError, error, isFetching, refetch } = useQuery(homeQueries.checks(api));
  const [isWhole, setIsWhole] = useState(false);
  if (isError && data === undefined) {
    return (
      <Card title={t`Before going live`}>
        <FailureNotice
          what={t`The checks could not be run.`}
          cause={error}
          onRetry={() => void refetch()}
        />
      </Card>
    );
  }
  if (data === undefined) {
    return (
      <Card title={t`Before going live`}>
        <Skeleton className="h-24 w-full opacity-50" />
      </Card>
    );
  }
  const open = data.checks.filter(({ state }) => state !== "ok");
  const done = data.checks.length - open.length;
  const shown = isWhole ? data.checks : open;
  return (
    <Card
      title={t`Before going live`}
      description={t`Checks itself; turnpike doctor prints the same list.`}
      aside={
        <div className="flex flex-wrap items-center gap-3">
          <p role="status" className="text-ink-muted text-sm tabular-nums">
            <Trans>
              {done} of {data.checks.length} OK,
            </Trans>{" "}
            <RelativeTime at={data.checkedAt} />
          </p>
          <Button
            size="small"
            progress={isFetching ? t`Checking…` : undefined}
            onClick={() => void refetch()}
          >
            <Trans>Check again</Trans>
          </Button>
        </div>
      }
    >
      {shown.length === 0 ? (
        <p>
          <Trans>Everything is ready for customers.</Trans>
        </p>
      ) : (
        <ul className="divide-y divide-line border-line border-y">
          {shown.map((check) => (
            <CheckRow key={check.id} check={check} />
          ))}
        </ul>
      )}
      {done > 0 && (
        <div className="mt-3">
          <Button
            size="small"
            look="quiet"
            aria-expanded={isWhole}
            onClick={() => setIsWhole(!isWhole)}
          >
            {isWhole
              ? t`Hide what is OK`
              : plural(done, {
                  one: "Show the one that is OK",
                  other: `Show the ${String(done)} that are OK`,
                })}
          </Button>
        </div>
      )}
    </Card>
  );
}

function CheckRow({ check }: { check: Check }) {
  const { tone, label } = STATES[check.state];
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1 py-3">
      <div className="flex w-full items-center gap-3 sm:w-56">
        <h3 className="min-w-0 grow font-medium">{inLanguage(check.title)}</h3>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <div className="min-w-0 grow basis-72 text-sm [overflow-wrap:anywhere]">
        <p className="text-ink-muted">{inLanguage(check.seen)}</p>
        {check.advice !== null && (
          <p>
            {inLanguage(check.advice)}{" "}
            <DocsLink page={check.docs}>
              <Trans>How</Trans>
            </DocsLink>
          </p>
        )}
      </div>
    </li>
  );
}
