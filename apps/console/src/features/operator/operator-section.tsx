import { useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { useCredential, usePlatform } from "#platform/platform.tsx";
import { OPERATOR_SCOPE, type Tenant } from "./operator.queries.ts";
import { OutboxCard } from "./outbox-card.tsx";
import { TenantPanel } from "./tenant-panel.tsx";
import { TenantsCard } from "./tenants-card.tsx";
import { UnlockCard } from "./unlock-card.tsx";

export type OperatorSectionProps = {
  selected: Tenant | undefined;
  onSelect: (tenant: Tenant | undefined) => void;
  /** The API key on screen right now; undefined once the person has stored it. */
  onKeyShown: (key: string | undefined) => void;
};

/** What an operator does on this page. Without a key it asks for one. */
export function OperatorSection({ selected, onSelect, onKeyShown }: OperatorSectionProps) {
  const { credentials } = usePlatform();
  const queryClient = useQueryClient();
  if (useCredential() === undefined) {
    return <UnlockCard />;
  }

  function forgetKey(): void {
    credentials.forget();
    queryClient.removeQueries({ queryKey: OPERATOR_SCOPE });
    onKeyShown(undefined);
    onSelect(undefined);
  }

  return (
    <section aria-labelledby="operator-title" className="pt-6">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 id="operator-title" className="font-semibold text-lg">
            Operator
          </h2>
          <p className="text-ink-muted">Tenants, their keys and usage, and the mails sent.</p>
        </div>
        <Button onClick={forgetKey}>Forget my key</Button>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <TenantsCard selectedId={selected?.tenantId} onSelect={onSelect} />
        <TenantPanel key={selected?.tenantId} tenant={selected} onKeyShown={onKeyShown} />
      </div>
      <div className="mt-4">
        <OutboxCard />
      </div>
    </section>
  );
}
