import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { BillingsPage } from "../billings-page.tsx";
import { AllInvoicesPage } from "./all-invoices-page.tsx";
import type { BillingsAddress } from "./all-invoices-search.view-model.ts";

const SCOPES = [
  { value: "tenant", label: "This tenant" },
  { value: "all", label: "All tenants" },
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
          label="Whose billing"
          segments={SCOPES}
          value={scope}
          onValueChange={(next) => props.onSearchChange(next === "all" ? { view: "all" } : {})}
        />
      </div>
      {scope === "all" ? <AllInvoicesPage {...props} /> : <BillingsPage {...props} />}
    </>
  );
}
