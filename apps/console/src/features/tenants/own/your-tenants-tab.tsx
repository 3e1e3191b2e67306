import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { EmptyState } from "@turnpike/ui/empty-state";
import { SearchField } from "@turnpike/ui/search-field";
import Building2 from "lucide-react/icons/building-2";
import { lazy, Suspense, useState } from "react";
import { useCurrentTenant, useMovedTenants } from "#platform/current-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { TenantCard } from "./tenant-card.tsx";

/** Only where an installation has several cells. */
const MovedTenantList = lazy(async () => ({
  default: (await import("#components/moved-tenants.tsx")).MovedTenantList,
}));

/** Lists of at least this length get a search field. */
const SEARCHED_FROM = 7;
/** Cards drawn at once; each requests its own usage. */
const CARDS_STEP = 12;

/** The tenants that the person belongs to, the current one marked, and those that left for another cell. */
export function YourTenantsTab({ onCreate }: { onCreate: () => void }) {
  const { tenants } = useVerifiedUser();
  const moved = useMovedTenants();
  return (
    <div className="space-y-4">
      {(tenants.length > 0 || moved.length === 0) && <TenantsHere onCreate={onCreate} />}
      {moved.length > 0 && (
        <Card title={t`In other cells`}>
          <Suspense>
            <MovedTenantList tenants={moved} />
          </Suspense>
        </Card>
      )}
    </div>
  );
}

function TenantsHere({ onCreate }: { onCreate: () => void }) {
  const { tenants } = useVerifiedUser();
  const current = useCurrentTenant();
  const [wanted, setWanted] = useState("");
  const [shownCount, setShownCount] = useState(CARDS_STEP);
  if (tenants.length === 0) {
    return (
      <EmptyState
        icon={<Building2 />}
        title={t`You have no tenant yet`}
        action={
          <Button look="primary" onClick={onCreate}>
            <Trans>Create tenant</Trans>
          </Button>
        }
      >
        <Trans>
          Keys, usage and plans belong to a tenant: your company or one of its projects. Create one,
          or open the invitation you were sent.
        </Trans>
      </EmptyState>
    );
  }
  const text = wanted.trim().toLowerCase();
  const found = tenants.filter(
    ({ name, slug }) => name.toLowerCase().includes(text) || slug.includes(text),
  );
  const shown = found.slice(0, shownCount);
  return (
    <div className="space-y-4">
      {tenants.length >= SEARCHED_FROM && (
        <SearchField
          className="sm:max-w-80"
          label={t`Search your tenants`}
          value={wanted}
          onValueChange={setWanted}
        />
      )}
      {found.length === 0 ? (
        <p role="status" className="py-8 text-center text-ink-muted">
          <Trans>None of your tenants has a name or slug that contains “{wanted.trim()}”.</Trans>
        </p>
      ) : (
        <ul
          aria-label={t`Your tenants`}
          className="grid gap-4 sm:grid-cols-[repeat(auto-fill,minmax(20rem,1fr))]"
        >
          {shown.map((tenant) => (
            <TenantCard
              key={tenant.tenantId}
              tenant={tenant}
              isCurrent={tenant.tenantId === current?.tenantId}
            />
          ))}
        </ul>
      )}
      {found.length > shown.length && (
        <Button onClick={() => setShownCount(shownCount + CARDS_STEP)}>
          <Trans>Show more ({found.length - shown.length})</Trans>
        </Button>
      )}
    </div>
  );
}
