import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { ReportCard } from "#components/usage/report-card.tsx";
import { formatCount } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { UsageReport } from "#platform/usage-query.ts";
import { type AnalyticsScope, analyticsQueries } from "../analytics.queries.ts";
import type { Meter } from "../meters.view-model.ts";
import { modelCostsQuery } from "../model-costs.queries.ts";
import { type ModelLine, type ModelTable, toModelTable } from "../models.view-model.ts";
import { ModelsChart, type ModelsChartProps } from "./models-chart.tsx";

export type ModelsCardProps = {
  scope: AnalyticsScope;
  /** Those that tokens go to. */
  meters: readonly Meter[];
  isReady: boolean;
  maySeeCosts: boolean;
  onSelect: (model: string) => void;
  /** How the models are drawn over time. */
  chart: Pick<ModelsChartProps, "shown" | "onShow" | "onSelectRange" | "onMeasure">;
};

/** Meters that one question asks about. */
const METERS_MAX = 8;
const ROWS = ["first", "second", "third"];

/** What each model was asked for, used and cost. A line filters the page by its model. */
export function ModelsCard(props: ModelsCardProps) {
  const { scope, meters, isReady, maySeeCosts, onSelect, chart } = props;
  const { api } = usePlatform();
  const asked = meters.slice(0, METERS_MAX);
  const report = useQuery({
    ...analyticsQueries.models(api, scope, asked),
    placeholderData: keepPreviousData<UsageReport>,
    enabled: isReady,
  });
  const [environment = "live"] = scope.view.filters.environment ?? [];
  const place = {
    tenantId: scope.tenantId,
    environment: environment === "test" ? ("test" as const) : ("live" as const),
  };
  const costs = useQuery({
    ...modelCostsQuery(api, place),
    enabled: maySeeCosts && isReady,
  });
  return (
    <ReportCard
      title={t`Models`}
      description={t`Calls of each model and the units that they cost.`}
      report={report}
      failure={t`Models: these numbers could not be loaded.`}
      skeleton={
        <div className="space-y-1 pt-5">
          {ROWS.map((row) => (
            <Skeleton key={row} className="h-8 w-full opacity-50" />
          ))}
        </div>
      }
    >
      {(data) => {
        const table = toModelTable(data, asked, costs.data);
        return table.lines.length === 0 ? (
          <p className="py-4 text-ink-muted">
            <Trans>No call named a model in this range.</Trans>
          </p>
        ) : (
          <>
            <ModelsChart {...chart} scope={scope} meters={table.meters} isReady={isReady} />
            <Wide table={table} selected={scope.view.filters.model ?? []} onSelect={onSelect} />
            <Cards table={table} selected={scope.view.filters.model ?? []} onSelect={onSelect} />
            {costs.isError && (
              <div className="mt-3">
                <FailureNotice
                  what={t`The cost of models could not be loaded.`}
                  cause={costs.error}
                  onRetry={() => void costs.refetch()}
                />
              </div>
            )}
            {table.currency !== undefined && (
              <p className="mt-2 text-ink-faint text-xs">
                <Trans>
                  Cost is what usage adds to the running invoice, before discounts and tax; range
                  and filters do not change it.
                </Trans>
              </p>
            )}
          </>
        );
      }}
    </ReportCard>
  );
}

type TableProps = {
  table: ModelTable;
  selected: readonly string[];
  onSelect: (model: string) => void;
};

function toCost({ cost }: ModelLine, { currency }: ModelTable): string {
  return cost === undefined || currency === undefined ? "–" : formatMoney(cost, currency);
}

function ModelName({ line, selected, onSelect }: Omit<TableProps, "table"> & { line: ModelLine }) {
  return (
    <button
      type="button"
      aria-pressed={selected.includes(line.model)}
      onClick={() => onSelect(line.model)}
      className={joinClasses(
        "max-w-full cursor-pointer truncate rounded-control px-1 text-left font-mono text-xs underline decoration-line-control underline-offset-4 hover:decoration-ink touch:min-h-11",
        selected.includes(line.model) && "bg-selected font-medium",
      )}
    >
      {line.label}
    </button>
  );
}

const NUMBER = "py-1.5 pl-3 text-right";

function Wide({ table, selected, onSelect }: TableProps) {
  const { meters, lines } = table;
  return (
    <div className="overflow-x-auto max-sm:hidden">
      <table className="w-full border-collapse text-left text-sm tabular-nums">
        <caption className="sr-only">
          <Trans>Models</Trans>
        </caption>
        <thead className="border-line border-b text-ink-muted text-xs">
          <tr>
            <th scope="col" className="py-1.5 font-medium">
              <Trans>Model</Trans>
            </th>
            <th scope="col" className={joinClasses(NUMBER, "font-medium")}>
              <Trans>Requests</Trans>
            </th>
            {meters.map(({ meterId, name }) => (
              <th key={meterId} scope="col" className={joinClasses(NUMBER, "font-medium")}>
                {name}
              </th>
            ))}
            {table.currency !== undefined && (
              <th scope="col" className={joinClasses(NUMBER, "font-medium")}>
                <Trans>Cost, running invoice</Trans>
              </th>
            )}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {lines.map((line) => (
            <tr key={line.model}>
              <th scope="row" className="max-w-64 py-1.5 font-normal">
                <ModelName line={line} selected={selected} onSelect={onSelect} />
              </th>
              <td className={NUMBER}>{formatCount(line.requests)}</td>
              {meters.map(({ meterId }, index) => (
                <td key={meterId} className={NUMBER}>
                  {formatCount(line.units[index] ?? "0")}
                </td>
              ))}
              {table.currency !== undefined && <td className={NUMBER}>{toCost(line, table)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cards({ table, selected, onSelect }: TableProps) {
  const { meters, lines } = table;
  return (
    <ul aria-label={t`Models`} className="divide-y divide-line sm:hidden">
      {lines.map((line) => (
        <li key={line.model} className="space-y-1 py-2">
          <ModelName line={line} selected={selected} onSelect={onSelect} />
          <dl className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-0.5 px-1 text-sm tabular-nums">
            <dt className="text-ink-muted">
              <Trans>Requests</Trans>
            </dt>
            <dd className="text-right">{formatCount(line.requests)}</dd>
            {meters.map(({ meterId, name }, index) => (
              <div key={meterId} className="contents">
                <dt className="truncate text-ink-muted">{name}</dt>
                <dd className="text-right">{formatCount(line.units[index] ?? "0")}</dd>
              </div>
            ))}
            {table.currency !== undefined && (
              <>
                <dt className="text-ink-muted">
                  <Trans>Cost, running invoice</Trans>
                </dt>
                <dd className="text-right">{toCost(line, table)}</dd>
              </>
            )}
          </dl>
        </li>
      ))}
    </ul>
  );
}
