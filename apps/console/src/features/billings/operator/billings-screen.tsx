import { t } from "@lingui/core/macro";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { lazy } from "react";
import { LateContent } from "#components/late-content.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { BillingsPage } from "../billings-page.tsx";
import type { BillingsAddress } from "./all-invoices-search.view-model.ts";

/** Only for operators. */
const AllInvoicesPage = lazy(async () => ({
  default: (await import("./all-invoices-page.tsx")).AllInvoicesPage,
}));

const SCOPES = [
  { value: "tenant", label: t`This tenant` },
  { value: "all", label: t`All tenants` },
] as const;

export type BillingsScreenProps = {
  search: BillingsAddress;
  onSearchChange: (search: BillingsAddress) => void;
};

/** `/billings`: of the current tenant; for operators also the invoices of all tenants. */
export function BillingsScreen(props: BillingsScreenProps) {
  const { user } = useVerifiedUser();
  if (!user.isOperator) {
    return <BillingsPage {...props} />;
  }
  const scope = props.search.view === "all" ? "all" : "tenant";
  return (
    <>
      <div className="mx-auto w-full max-w-[80rem] px-4 pt-4 sm:px-6">
        <SegmentedControl
          label={t`Whose billing`}
          segments={SCOPES}
          value={scope}
          onValueChange={(next) => props.onSearchChange(next === "all" ? { view: "all" } : {})}
        />
      </div>
      {scope === "all" ? (
        <LateContent>
          <AllInvoicesPage {...props} />
        </LateContent>
      ) : (
        <BillingsPage {...props} />
      )}
    </>
  );
}
