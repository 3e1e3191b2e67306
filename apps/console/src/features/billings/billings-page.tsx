import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card } from "@turnpike/ui/card";
import { EmptyState } from "@turnpike/ui/empty-state";
import { MeterBar } from "@turnpike/ui/meter-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import ReceiptText from "lucide-react/icons/receipt-text";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { formatPrice } from "#components/plan.view-model.ts";
import { TenantGate } from "#components/tenant-gate.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery, limitsQuery } from "#platform/shared-queries.ts";
import { REFRESH_MS } from "./billings.queries.ts";
import { formatPeriod, type Period, toPeriod } from "./billings.view-model.ts";
import { QuotaAlertsNote } from "./quota-alerts-note.tsx";
import { UsageByKey } from "./usage-by-key.tsx";

/** `/billings`: what this period holds so far. */
export function BillingsPage() {
  return (
    <Page
      title="Billings"
      purpose="Usage so far this period, from the same ledger that enforces your limits."
    >
      <TenantGate>{(tenant) => <Billings tenant={tenant} />}</TenantGate>
    </Page>
  );
}

function Billings({ tenant }: { tenant: OwnTenant }) {
  const { api } = usePlatform();
  const limits = useQuery(limitsQuery(api, tenant.tenantId, { refetchMs: REFRESH_MS }));
  const catalog = useQuery(catalogQuery(api));
  const failed = [limits, catalog].find((query) => query.isError && query.data === undefined);
  if (failed !== undefined) {
    return (
      <FailureNotice
        what="This period could not be loaded."
        cause={failed.error}
        onRetry={() => void failed.refetch()}
      />
    );
  }
  if (limits.data === undefined || catalog.data === undefined) {
    return (
      <div role="status" aria-label="Loading this period" className="grid gap-4 lg:grid-cols-3">
        <Skeleton className="h-64 w-full rounded-card lg:col-span-2" />
        <Skeleton className="h-64 w-full rounded-card" />
      </div>
    );
  }
  const period = toPeriod(limits.data, catalog.data.meters);
  const { plan } = limits.data;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-3">
      <div className="space-y-4 lg:col-span-2">
        <RunningPeriod period={period} tenant={tenant} />
        {period?.lines.map((line) => (
          <UsageByKey
            key={line.meterId}
            tenantId={tenant.tenantId}
            meter={{ meterId: line.meterId, name: line.name }}
            from={period.from}
          />
        ))}
      </div>
      <div className="space-y-4">
        <Card title="Plan">
          <p className="font-semibold text-lg tabular-nums">{plan.name}</p>
          <p className="text-ink-muted tabular-nums">
            {formatPrice(plan.pricePerMonth, plan.currency)} a month
          </p>
          <p className="mt-3">
            <Link to="/plans" className="font-medium underline underline-offset-4">
              Compare plans
            </Link>
          </p>
        </Card>
        <Card title="Invoices">
          <Invoices />
        </Card>
      </div>
    </div>
  );
}

function Invoices() {
  const { config } = usePlatform();
  return (
    <p className="text-ink-muted">
      None. This console charges nothing and asks for no payment method: {config.brand.name} bills
      you for your plan directly.
    </p>
  );
}

type RunningPeriodProps = { tenant: OwnTenant; period: Period | undefined };

function RunningPeriod({ period, tenant }: RunningPeriodProps) {
  if (period === undefined) {
    return (
      <Card title="This period">
        <EmptyState icon={<ReceiptText />} title="Your plan has no quotas">
          Nothing is counted against a limit. Analytics shows what you use.
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card title="This period" description={`${formatPeriod(period)}, UTC`}>
      <ul className="space-y-5">
        {period.lines.map((line) => (
          <li key={line.meterId}>
            <div className="mb-1.5 flex flex-wrap items-baseline justify-between gap-x-4">
              <h3 className="font-medium">{line.name}</h3>
              <p className="tabular-nums">{line.quantity}</p>
            </div>
            <MeterBar
              share={line.share}
              tone={line.tone}
              label={`${line.name}: ${line.quantity}`}
            />
            <p className="mt-1.5 text-ink-muted text-xs">
              {line.beyond} Test keys are metered separately and never charged.
            </p>
            {line.forfeited !== undefined && (
              <p className="mt-1 text-warning text-xs">{line.forfeited}</p>
            )}
          </li>
        ))}
      </ul>
      <div className="mt-5 border-line border-t pt-3">
        <QuotaAlertsNote {...tenant} />
      </div>
    </Card>
  );
}
