import { plural, t } from "@lingui/core/macro";
import { Card } from "@turnpike/ui/card";
import { KpiCard } from "@turnpike/ui/kpi-card";
import { useState } from "react";
import { AskLink } from "#components/questions/ask-link.tsx";
import { LazyTimeBars } from "#components/usage/lazy-charts.tsx";
import { formatCount } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { FigureButton } from "./figure-button.tsx";
import { MonthsTable } from "./months-table.tsx";
import type { RevenueOfCurrency } from "./reports.queries.ts";
import type { RowKind } from "./reports-search.view-model.ts";
import {
  DEFINITIONS,
  FIGURE_LABELS,
  findLastWhole,
  formatChange,
  formatMonth,
  formatShare,
  toRevenueTimeline,
} from "./revenue.view-model.ts";

export type CurrencyRevenueProps = {
  revenue: RevenueOfCurrency;
  onOpen: (month: string, rows: RowKind) => void;
  /** @param age - Its first day; undefined for all ages. */
  onOpenOverdue: (age: number | undefined) => void;
};

/** The recurring revenue of one currency: now, by month, and what is overdue. */
export function CurrencyRevenue({ revenue, onOpen, onOpenOverdue }: CurrencyRevenueProps) {
  return (
    <>
      <Figures revenue={revenue} onOpen={onOpen} onOpenOverdue={onOpenOverdue} />
      <Timeline revenue={revenue} />
      <MonthsTable revenue={revenue} onOpen={onOpen} />
      <OverdueAges revenue={revenue} onOpenOverdue={onOpenOverdue} />
    </>
  );
}

function openLink(onOpen: () => void) {
  return <button type="button" className="cursor-pointer" onClick={onOpen} />;
}

function Figures({ revenue, onOpen, onOpenOverdue }: CurrencyRevenueProps) {
  const { currency, mrr, customers, months, overdue } = revenue;
  const whole = findLastWhole(revenue);
  const running = months.at(-1);
  const ofMonth = whole === undefined ? t`no whole month yet` : formatMonth(whole.month);
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <KpiCard
        label={FIGURE_LABELS.mrr}
        explanation={DEFINITIONS.mrr}
        value={formatMoney(mrr, currency)}
        context={`${formatCount(customers)} ${plural(customers, { one: "customer", other: "customers" })}`}
        {...(running !== undefined && {
          link: openLink(() => onOpen(running.month, "closing")),
        })}
      />
      <KpiCard
        label={FIGURE_LABELS.netRetention}
        explanation={DEFINITIONS.netRetention}
        value={whole === undefined ? null : formatShare(whole.netRetention)}
        context={ofMonth}
      />
      <KpiCard
        label={FIGURE_LABELS.revenueChurn}
        explanation={DEFINITIONS.revenueChurn}
        value={whole === undefined ? null : formatShare(whole.revenueChurn)}
        context={ofMonth}
        {...(whole !== undefined && { link: openLink(() => onOpen(whole.month, "churned")) })}
      />
      <KpiCard
        label={FIGURE_LABELS.customerChurn}
        explanation={DEFINITIONS.customerChurn}
        value={whole === undefined ? null : formatShare(whole.customerChurn)}
        context={ofMonth}
      />
      <KpiCard
        label={t`New this month`}
        explanation={DEFINITIONS.new}
        value={running === undefined ? null : formatChange(running.movements.new.change, currency)}
        context={running === undefined ? "" : t`${formatMonth(running.month)} so far`}
        {...(running !== undefined && { link: openLink(() => onOpen(running.month, "new")) })}
      />
      <KpiCard
        label={FIGURE_LABELS.grossRetention}
        explanation={DEFINITIONS.grossRetention}
        value={whole === undefined ? null : formatShare(whole.grossRetention)}
        context={ofMonth}
      />
      <KpiCard
        label={FIGURE_LABELS.usage}
        explanation={DEFINITIONS.usage}
        value={whole === undefined ? null : formatMoney(whole.usage, currency)}
        context={ofMonth}
        {...(whole !== undefined && { link: openLink(() => onOpen(whole.month, "usage")) })}
      />
      <KpiCard
        label={FIGURE_LABELS.overdue}
        explanation={DEFINITIONS.overdue}
        value={formatMoney(overdue.due, currency)}
        context={`${formatCount(overdue.count)} ${plural(overdue.count, { one: "invoice", other: "invoices" })}`}
        link={openLink(() => onOpenOverdue(undefined))}
      />
    </div>
  );
}

function Timeline({ revenue }: { revenue: RevenueOfCurrency }) {
  const [view, setView] = useState<"chart" | "table">("chart");
  return (
    <Card
      title={t`Recurring revenue by month`}
      description={t`What all subscriptions brought at the end of each month; the last bar is now.`}
      aside={<AskLink question="monthly recurring revenue per month this year" isOfAll />}
    >
      <LazyTimeBars
        {...toRevenueTimeline(revenue)}
        label={t`Monthly recurring revenue in ${revenue.currency}`}
        unit={revenue.currency}
        grain="month"
        timeZone="UTC"
        emptyText={t`No recurring revenue in this year.`}
        view={view}
        onViewChange={setView}
      />
    </Card>
  );
}

function OverdueAges({ revenue, onOpenOverdue }: Omit<CurrencyRevenueProps, "onOpen">) {
  const { overdue, currency } = revenue;
  return (
    <Card
      title={t`Overdue by age`}
      description={t`Open invoices by whole days past their due date.`}
      aside={<AskLink question="overdue invoices by tenant this year" isOfAll />}
    >
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {overdue.ages.map(({ fromDays, toDays, count, due }) => {
          const name =
            toDays === null
              ? t`${String(fromDays)} days and more`
              : t`${String(fromDays)}–${String(toDays)} days`;
          return (
            <li key={fromDays}>
              <p className="text-ink-muted text-xs">{name}</p>
              <p className="font-semibold tabular-nums">
                {count === 0 ? (
                  formatMoney(due, currency)
                ) : (
                  <FigureButton
                    label={t`Invoices overdue for ${name}: ${formatMoney(due, currency)}`}
                    onOpen={() => onOpenOverdue(fromDays)}
                  >
                    {formatMoney(due, currency)}
                  </FigureButton>
                )}
              </p>
              <p className="text-ink-muted text-xs tabular-nums">
                {formatCount(count)} {plural(count, { one: "invoice", other: "invoices" })}
              </p>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
