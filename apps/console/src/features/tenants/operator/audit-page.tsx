import { t } from "@lingui/core/macro";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { AuditLog } from "../audit/audit-log.tsx";
import { INSTALLATION_NOUNS, TENANT_NOUNS } from "../audit/audit-nouns.ts";
import type { OperatorAuditSearch } from "./operator-audit-search.view-model.ts";
import { OperatorPage } from "./operator-page.tsx";

const LOGS = [
  { value: "tenants", label: t`All tenants` },
  { value: "installation", label: t`This installation` },
] as const;

export type AuditPageProps = {
  search: OperatorAuditSearch;
  onSearchChange: (search: OperatorAuditSearch) => void;
};

/** `/operator/audit` */
export function AuditPage({ search, onSearchChange }: AuditPageProps) {
  const { log, ...filter } = search;
  const source = log ?? "tenants";
  const keep = log === undefined ? {} : { log };
  return (
    <OperatorPage
      title={t`Audit log`}
      purpose={t`Every change in every tenant and in this installation, with its author.`}
    >
      <div className="space-y-4">
        <SegmentedControl
          label={t`Log`}
          value={source}
          segments={LOGS}
          onValueChange={(value) => onSearchChange(value === "installation" ? { log: value } : {})}
        />
        <AuditLog
          key={source}
          source={source}
          nouns={source === "tenants" ? TENANT_NOUNS : INSTALLATION_NOUNS}
          search={filter}
          onSearchChange={(next) => onSearchChange({ ...keep, ...next })}
        />
      </div>
    </OperatorPage>
  );
}
