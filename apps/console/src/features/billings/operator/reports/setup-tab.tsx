import { useQuery } from "@tanstack/react-query";
import { Badge, type Tone } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { type BillingSetup, billingSetupQuery } from "./reports.queries.ts";
import { nameCountry } from "./tax.view-model.ts";

const STATES: Readonly<
  Record<BillingSetup["checks"][number]["state"], { tone: Tone; label: string }>
> = {
  ok: { tone: "ok", label: "In place" },
  advice: { tone: "warning", label: "Advice" },
  missing: { tone: "danger", label: "Missing" },
};

const CHECK_LABELS: Readonly<Record<BillingSetup["checks"][number]["check"], string>> = {
  sellerName: "Name of the seller",
  sellerAddress: "Address of the seller",
  sellerCountry: "Country of the seller",
  sellerTaxId: "Tax id of the seller",
  sellerEmail: "E-mail for questions",
  tax: "Tax",
  taxRates: "Tax rates of your customers",
  exchangeRates: "Exchange rates",
  topUps: "Credit for prepaid plans",
  heldAccounts: "Accounts that wait",
  mail: "Mail",
};

/** What invoices are made with, and what is missing. Settings themselves are in the configuration. */
export function SetupTab() {
  const { api } = usePlatform();
  const setup = useQuery(billingSetupQuery(api));
  if (setup.data === undefined) {
    return setup.isError ? (
      <FailureNotice
        what="The settings could not be loaded."
        cause={setup.error}
        onRetry={() => void setup.refetch()}
      />
    ) : (
      <div role="status" aria-label="Loading the settings">
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
      title="What a right invoice needs"
      description={
        missing === 0
          ? "Nothing that can be checked is missing. Whether the rules are yours is a question for your tax adviser."
          : `${String(missing)} missing. Settings are in turnpike.yaml; a restart brings them into force.`
      }
    >
      <ul className="divide-y divide-line">
        {checks.map(({ check, state, text, setting }) => (
          <li key={check} className="flex flex-wrap items-start gap-x-4 gap-y-1 py-2.5">
            <span className="w-52 shrink-0 font-medium max-sm:w-full">{CHECK_LABELS[check]}</span>
            <span className="min-w-0 flex-1 basis-60 text-ink-muted [overflow-wrap:anywhere]">
              {text} {state !== "ok" && <code className="text-xs">{setting}</code>}
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
      "Seller",
      [seller.name, ...seller.lines, seller.country === null ? "" : nameCountry(seller.country)]
        .filter((line) => line !== "")
        .join(", "),
    ],
    [
      "Tax",
      tax === null
        ? "Nothing is taxed."
        : `Prices include ${tax.pricesInclude === "net" ? "no tax" : "tax"}; ${String(tax.rates)} rates for ${String(tax.countries.length)} countries.`,
    ],
    ["Due", `${String(paymentDays)} days after the date of issue`],
    [
      "Reminders",
      `${dunning.reminderDays.join(", ")} days after the due date; the last one is the last notice`,
    ],
    ["Calls are refused", `${String(dunning.graceDays)} days after the last notice`],
    ["Proration", setup.proration],
    ["Numbers", `${setup.invoicePrefix}-… and ${setup.creditNotePrefix}-…`],
  ];
  return (
    <Card title="In force" description="As the server has read them from its configuration.">
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
