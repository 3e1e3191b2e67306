import { t } from "@lingui/core/macro";
import { CopyButton } from "@turnpike/ui/copy-button";
import type { BankAccount } from "./payments.queries.ts";
import { listBankFacts } from "./payments.view-model.ts";

/** Where a transfer goes, to copy into the form of a bank. */
export function BankFacts({ bank, reference }: { bank: BankAccount; reference?: string }) {
  return (
    <dl className="mt-3 divide-y divide-line border-line border-t">
      {listBankFacts(bank, reference).map(({ label, value }) => (
        <div key={label} className="flex items-center justify-between gap-3 py-1.5">
          <div className="min-w-0">
            <dt className="text-ink-muted text-xs">{label}</dt>
            <dd className="whitespace-pre-line font-medium tabular-nums [overflow-wrap:anywhere]">
              {value}
            </dd>
          </div>
          <CopyButton value={value} subject={t`the ${label}`} />
        </div>
      ))}
    </dl>
  );
}
