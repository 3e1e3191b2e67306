import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { toErrorMessage } from "#platform/error-message.ts";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { migrationQueries, type PlanMigration } from "./migration.queries.ts";

const STATES = {
  running: { tone: "info", label: t`Running` },
  done: { tone: "ok", label: t`Done` },
  cancelled: { tone: "neutral", label: t`Stopped` },
  failed: { tone: "danger", label: t`Failed` },
} as const;

/** The moves of a plan's subscribers, newest first. Nothing where there was none. */
export function MigrationList({ planId }: { planId: string }) {
  const migrations = useQuery(migrationQueries.list(usePlatform().api, planId));
  if (migrations.data === undefined || migrations.data.length === 0) {
    return null;
  }
  return (
    <section aria-labelledby="plan-migrations" className="mt-6">
      <h3 id="plan-migrations" className="mb-2 font-semibold">
        <Trans>Moves of subscribers</Trans>
      </h3>
      <ul className="divide-y divide-line border-line border-y">
        {migrations.data.map((migration) => (
          <Item key={migration.migrationId} migration={migration} />
        ))}
      </ul>
    </section>
  );
}

type MigrationId = Parameters<
  ReturnType<typeof usePlatform>["api"]["planMigrations"]["cancel"]
>[0]["migrationId"];

function Item({ migration }: { migration: PlanMigration }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { planId, toVersion, state, moved, unchanged, failed, failures } = migration;
  const stop = useMutation({
    mutationKey: ["plan-editor", "stop-move"],
    mutationFn: () =>
      api.planMigrations.cancel({ migrationId: migration.migrationId as MigrationId }),
    onSuccess: () =>
      client.invalidateQueries({ queryKey: migrationQueries.list(api, planId).queryKey }),
    onError: (cause) => void toast.error(toErrorMessage(cause)),
  });
  const counts = [
    t`${formatCount(moved)} moved`,
    ...(unchanged > 0 ? [t`${formatCount(unchanged)} left as they are`] : []),
    ...(failed > 0 ? [t`${formatCount(failed)} failed`] : []),
  ].join(", ");
  return (
    <li className="py-2.5 tabular-nums">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium">
          <Trans>To version {toVersion}</Trans>
        </p>
        <span className="flex items-center gap-2">
          <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
          {state === "running" && (
            <Button
              size="small"
              progress={stop.isPending ? t`Stopping…` : undefined}
              onClick={() => stop.mutate()}
            >
              <Trans>Stop</Trans>
            </Button>
          )}
        </span>
      </div>
      <p className="text-ink-muted text-xs">
        {counts}, <RelativeTime at={migration.createdAt} />
      </p>
      <ul className="text-danger text-xs empty:hidden">
        {failures.map(({ tenantId, reason }) => (
          <li key={tenantId} className="[overflow-wrap:anywhere]">
            <span className="font-mono">{tenantId}</span>: {reason}
          </li>
        ))}
      </ul>
    </li>
  );
}
