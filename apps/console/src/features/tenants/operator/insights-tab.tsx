import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { joinClasses } from "@turnpike/ui/join-classes";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { InsightNote } from "#components/insights/insight-notes.tsx";
import { nameIds, rankInsights } from "#components/insights/insights.view-model.ts";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { useOnceKnown } from "#components/use-once-known.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { toast } from "#platform/toast.ts";
import { insightQueries, OVER_ALL_KEY, type TenantName } from "./insights.queries.ts";
import type { OperatorProps } from "./operator-props.ts";

/** What changed over all tenants together, and in each of them. */
export function InsightsTab(props: OperatorProps) {
  const { api } = usePlatform();
  const overAll = useQuery(insightQueries.overAll(api));
  const names = useQuery(insightQueries.namesOf(api, listTexts(overAll.data)));
  const isShown = useOnceKnown([overAll, { isPending: names.isLoading }]);
  return (
    <div className="space-y-4">
      <OverAll />
      <div className={joinClasses(!isShown && "hidden")}>
        <ByTenant {...props} />
      </div>
    </div>
  );
}

const LINK = "cursor-pointer font-medium text-ink underline underline-offset-4";
const NO_NAMES: ReadonlyMap<string, TenantName> = new Map();

function OverAll() {
  const { api } = usePlatform();
  const client = useQueryClient();
  const insights = useQuery(insightQueries.overAll(api));
  const list = insights.data;
  const names = useQuery({
    ...insightQueries.namesOf(api, listTexts(list)),
    placeholderData: keepPreviousData,
  });
  const check = useMutation({
    mutationKey: ["installation-insights", "refresh"],
    mutationFn: () => api.installationInsights.refresh({}),
    onSuccess: (found) => client.setQueryData(OVER_ALL_KEY, found),
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
  const dismiss = useMutation({
    mutationKey: ["installation-insights", "dismiss"],
    mutationFn: (insightId: string) =>
      api.installationInsights.update({ insightId, isDismissed: true }),
    onError: (error) => void toast.error(toErrorMessage(error)),
    onSettled: () => client.invalidateQueries({ queryKey: OVER_ALL_KEY }),
  });
  return (
    <Card
      title={t`Over all tenants`}
      description={
        list === undefined ? (
          insights.isPending ? (
            <Skeleton className="h-5 w-36" />
          ) : undefined
        ) : list.checkedAt === null ? (
          t`Not checked yet: usage is checked each hour.`
        ) : (
          <Trans>
            Checked <RelativeTime at={list.checkedAt} />.
          </Trans>
        )
      }
      aside={
        <Button
          progress={check.isPending ? t`Checking…` : undefined}
          onClick={() => check.mutate()}
        >
          <Trans>Check now</Trans>
        </Button>
      }
    >
      {list === undefined || names.isLoading ? (
        insights.isError && list === undefined ? (
          <FailureNotice
            what={t`What changed over all tenants could not be loaded.`}
            cause={insights.error}
            onRetry={() => void insights.refetch()}
          />
        ) : (
          <Skeleton className="h-16 w-full opacity-50" />
        )
      ) : list.items.length === 0 ? (
        <p className="text-ink-muted">
          {list.history.hours < list.history.needed
            ? t`Nothing so far: ${String(list.history.hours)} of the ${String(list.history.needed)} hours of usage that it takes to say what is usual.`
            : t`Nothing is outside of what is usual.`}
        </p>
      ) : (
        <ul className="space-y-3">
          {rankInsights(list.items).map((insight) => (
            <InsightNote
              key={insight.insightId}
              insight={insight}
              text={nameIds(inLanguage(insight.text), toTexts(names.data))}
              action={
                <button
                  type="button"
                  className={LINK}
                  onClick={() => dismiss.mutate(insight.insightId)}
                >
                  <Trans>Dismiss</Trans>
                </button>
              }
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

function listTexts(list: { items: readonly { text: string }[] } | undefined): string[] {
  return list?.items.map(({ text }) => text) ?? [];
}

function toTexts(names: ReadonlyMap<string, TenantName> = NO_NAMES): ReadonlyMap<string, string> {
  return new Map([...names].map(([tenantId, { name }]) => [tenantId, name]));
}

function ByTenant({ search, onSearchChange }: OperatorProps) {
  const { api } = usePlatform();
  const { cursor } = search;
  const insights = useQuery({
    ...insightQueries.byTenant(api, cursor),
    placeholderData: keepPreviousData,
  });
  const page = insights.data;
  const names = useQuery(
    insightQueries.namesOf(api, page?.items.map(({ tenantId }) => tenantId) ?? []),
  );
  const trail = useCursorTrail({
    cursor,
    nextCursor: page?.nextCursor,
    onCursorChange: (next) => onSearchChange({ ...(next === undefined ? {} : { cursor: next }) }),
  });
  return (
    <Card
      title={t`In each tenant`}
      description={t`What the members of each tenant see, the newest first.`}
    >
      {page === undefined ? (
        insights.isError ? (
          <FailureNotice
            what={t`The insights of the tenants could not be loaded.`}
            cause={insights.error}
            onRetry={() => void insights.refetch()}
          />
        ) : (
          <Skeleton className="h-40 w-full opacity-50" />
        )
      ) : page.items.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>Nothing needs attention in any tenant.</Trans>
        </p>
      ) : (
        <>
          <ul className="space-y-3">
            {page.items.map((insight) => {
              const tenant = names.data?.get(insight.tenantId);
              return (
                <InsightNote
                  key={insight.insightId}
                  insight={insight}
                  text={inLanguage(insight.text)}
                  action={
                    tenant !== undefined && (
                      <Link
                        to="/ai-intelligence"
                        search={{ tenant: tenant.slug, insight: insight.insightId }}
                        className={LINK}
                      >
                        {tenant.name}
                      </Link>
                    )
                  }
                />
              );
            })}
          </ul>
          <PageFooter trail={trail} count={page.items.length} noun={[t`insight`, t`insights`]} />
        </>
      )}
    </Card>
  );
}
