import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { SearchField } from "@turnpike/ui/search-field";
import { Select } from "@turnpike/ui/select";
import { findStandingBadge } from "#components/billing/subscription.view-model.ts";
import { useTypedSearch } from "#components/use-typed-search.ts";
import { usePlatform } from "#platform/platform.tsx";
import { catalogQuery } from "#platform/shared-queries.ts";
import type { CustomerFilter } from "../tenants.queries.ts";
import type { OperatorProps } from "./operator-props.ts";
import {
  type OperatorSearch,
  TENANT_SORTS,
  TENANT_STANDINGS,
  type TenantStanding,
} from "./operator-search.view-model.ts";

const ALL = "all";

function toStandingLabel(standing: TenantStanding): string {
  if (standing === "active" || standing === "suspended") {
    return standing === "active" ? t`Active` : t`Suspended`;
  }
  return findStandingBadge(standing)?.label ?? standing;
}

const STANDINGS = [
  { value: ALL, label: t`Every state` },
  ...TENANT_STANDINGS.map((value) => ({ value, label: toStandingLabel(value) })),
];

const SORT_LABELS = {
  usage: t`Most used`,
  quota: t`Fullest quota`,
  activity: t`Last call`,
  revenue: t`Highest revenue`,
} as const;

const SORTS = [
  { value: ALL, label: t`Newest first` },
  ...TENANT_SORTS.map((value) => ({ value, label: SORT_LABELS[value] })),
];

/** The filters and the order that the address names, as the API takes them. */
export function toCustomerFilter({ q, plan, standing, sort }: OperatorSearch): CustomerFilter {
  const isDecision = standing === "active" || standing === "suspended";
  return {
    ...(q === undefined ? {} : { q }),
    ...(plan === undefined ? {} : { planId: plan }),
    ...(isDecision ? { suspended: standing === "suspended" ? "true" : "false" } : {}),
    ...(standing === undefined || isDecision ? {} : { standing }),
    ...(sort === undefined ? {} : { sort }),
  };
}

/** Which tenants are listed, and in what order. All of it stays in the address of the page. */
export function TenantFilters({ search, onSearchChange }: OperatorProps) {
  const { q, plan, standing, sort } = search;
  const plans = useQuery(catalogQuery(usePlatform().api)).data?.plans ?? [];
  const change = (to: Partial<Record<"q" | "plan" | "standing" | "sort", string>>) => {
    const chosen = { q, plan, standing, sort, ...to };
    const kept = Object.entries(chosen).filter(
      ([, value]) => value !== undefined && value !== ALL && value !== "",
    );
    onSearchChange(Object.fromEntries(kept) as OperatorSearch);
  };
  const typed = useTypedSearch(q ?? "", (text) => change({ q: text }));
  // A private plan, or one from an address that someone passed on, is shown by its id.
  const isListed = plan === undefined || plans.some(({ planId }) => planId === plan);
  return (
    <div className="flex flex-wrap gap-2">
      <SearchField
        className="w-full sm:w-80"
        label={t`Search name, id or member’s e-mail`}
        maxLength={100}
        value={typed.text}
        onValueChange={typed.setText}
      />
      <Select
        label={t`Plan`}
        className="sm:w-40"
        choices={[
          { value: ALL, label: t`Every plan` },
          ...plans.map(({ planId, name }) => ({ value: planId, label: name })),
          ...(isListed ? [] : [{ value: plan, label: plan }]),
        ]}
        value={plan ?? ALL}
        onValueChange={(value) => change({ plan: value })}
      />
      <Select
        label={t`State`}
        className="sm:w-44"
        choices={STANDINGS}
        value={standing ?? ALL}
        onValueChange={(value) => change({ standing: value })}
      />
      <Select
        label={t`Order`}
        className="sm:ml-auto sm:w-44"
        choices={SORTS}
        value={sort ?? ALL}
        onValueChange={(value) => change({ sort: value })}
      />
    </div>
  );
}
