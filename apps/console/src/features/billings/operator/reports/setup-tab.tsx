import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge, type Tone } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { type BillingSetup, billingSetupQuery } from "./reports.queries.ts";
import { nameCountry } from "./tax.view-model.ts";

const STATES: Readonly<
  Record<BillingSetup["checks"][number]["state"], { tone: Tone; label: string }>
> = {
  ok: { tone: "ok", label: t`In place` },
  advice: { tone: "warning", label: t`Advice` },
  missing: { tone: "danger", label: t`Missing` },
};

const CHECK_LABELS: Readonly<Record<BillingSetup["checks"][number]["check"], string>> = {
  sellerName: t`Name of the seller`,
  sellerAddress: t`Address of the seller`,
  sellerCountry: t`Country of the seller`,
  sellerTaxId: t`Tax id of the seller`,
  sellerEmail: t`E-mail for questions`,
  tax: t`Tax`,
  taxRates: t`Tax rates of your customers`,
  exchangeRates: t`Exchange rates`,
  topUps: t`Credit for prepaid plans`,
  heldAccounts: t`Accounts that wait`,
  mail: t`Mail`,
};

/** How the rest of a period is credited that a change ends. */
const PRORATIONS: Readonly<Record<BillingSetup["proration"], string>> = {
  time: t`By time`,
  largerOfTimeOrQuota: t`By time, or by the quota left where that is less`,
  nextPeriod: t`By time, on the next invoice`,
  none: t`Nothing is credited`,
};

/** What invoices are made with, and what is missing. Settings themselves are in the configuration. */
export function SetupTab() {
  const { api } = usePlatform();
  const setup = useQuery(billingSetupQuery(api));
  if (setup.data === undefined) {
    return setup.isError ? (
      <FailureNotice
        what={t`The settings could not be loaded.`}
        cause={setup.error}
        onRetry={() => void setup.refetch()}
      />
    ) : (
      <div role="status" aria-label={t`Loading the settings`}>
        <Skeleton className="h-80 w-full rounded-card" />
      </div>
    );
  }
  return (
    <div className="space-y-4">
      <Checklist setup={setup.data} />
      <Facts setup={setup.data} />
    </div>
  );
}

function Checklist({ setup: { checks } }: { setup: BillingSetup }) {
  const missing = checks.filter(({ state }) => state === "missing").length;
  return (
    <Card
      title={t`What a right invoice needs`}
      description={
        missing === 0
          ? t`Nothing that can be checked is missing. Whether the rules are yours is a question for your tax adviser.`
          : t`${String(missing)} missing. Settings are in turnpike.yaml; a restart brings them into force.`
      }
    >
      <ul className="divide-y divide-line">
        {checks.map(({ check, state, text, setting }) => (
          <li key={check} className="flex flex-wrap items-start gap-x-4 gap-y-1 py-2.5">
            <span className="w-52 shrink-0 font-medium max-sm:w-full">{CHECK_LABELS[check]}</span>
            <span className="min-w-0 flex-1 basis-60 text-ink-muted [overflow-wrap:anywhere]">
              {inLanguage(text)} {state !== "ok" && <code className="text-xs">{setting}</code>}
            </span>
            <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Facts({ setup }: { setup: BillingSetup }) {
  const { seller, tax, dunning, paymentDays } = setup;
  const rows: readonly [string, ReactNode][] = [
    [
      t`Seller`,
      [seller.name, ...seller.lines, seller.country === null ? "" : nameCountry(seller.country)]
        .filter((line) => line !== "")
        .join(", "),
    ],
    [
      t`Tax`,
      tax === null
        ? t`Nothing is taxed.`
        : t`Prices include ${tax.pricesInclude === "net" ? t`no tax` : t`tax`}; ${String(tax.rates)} rates for ${String(tax.countries.length)} countries.`,
    ],
    [t`Due`, t`${String(paymentDays)} days after the date of issue`],
    [
      t`Reminders`,
      t`${dunning.reminderDays.join(", ")} days after the due date; the last one is the last notice`,
    ],
    [t`Calls are denied`, t`${String(dunning.graceDays)} days after the last notice`],
    [t`Proration`, PRORATIONS[setup.proration]],
    [t`Numbers`, t`${setup.invoicePrefix}-… and ${setup.creditNotePrefix}-…`],
  ];
  return (
    <Card title={t`In force`} description={t`As the server has read them from its configuration.`}>
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[12rem_1fr]">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-muted">{name}</dt>
            <dd className="mb-1 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
