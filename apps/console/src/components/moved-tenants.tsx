import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useRouter } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { ButtonLink } from "@turnpike/ui/button-link";
import { EmptyState } from "@turnpike/ui/empty-state";
import Truck from "lucide-react/icons/truck";
import type { ReactNode } from "react";
import type { MovedTenant } from "#platform/current-tenant.ts";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";
import { toWebAddress } from "#platform/web-address.ts";

/** Says where tenants of the person are that left for another cell, and leads there. @param tenants - One or more. */
export function MovedTenants({
  tenants,
  wayOn,
}: {
  tenants: readonly MovedTenant[];
  wayOn?: ReactNode;
}) {
  const [first] = tenants;
  if (first !== undefined && tenants.length === 1) {
    return (
      <EmptyState
        icon={<Truck />}
        title={
          first.isMoving
            ? t`${first.name} is on its way to another cell`
            : t`${first.name} lives in another cell`
        }
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <WayThere tenant={first} look="primary" />
            {wayOn}
          </div>
        }
      >
        <Whereabouts tenant={first} />
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<Truck />} title={t`Your tenants live in other cells`} action={wayOn}>
      <MovedTenantList tenants={tenants} />
    </EmptyState>
  );
}

/** The same as a list, beside tenants that are here. */
export function MovedTenantList({ tenants }: { tenants: readonly MovedTenant[] }) {
  return (
    <ul aria-label={t`Tenants in other cells`} className="space-y-4 text-left">
      {tenants.map((tenant) => (
        <li
          key={tenant.tenantId}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2"
        >
          <div className="min-w-0 grow basis-64 [overflow-wrap:anywhere]">
            <p className="font-semibold text-ink">{tenant.name}</p>
            <p className="text-ink-muted">
              <Whereabouts tenant={tenant} />
            </p>
          </div>
          <WayThere tenant={tenant} look="secondary" />
        </li>
      ))}
    </ul>
  );
}

function Whereabouts({ tenant }: { tenant: MovedTenant }) {
  if (tenant.isMoving) {
    return (
      <Trans>
        It is being moved to {tenant.cell}, with its members, keys, usage and invoices. Its calls
        pass again in a moment.
      </Trans>
    );
  }
  return toWebAddress(tenant.consoleUrl) === undefined ? (
    <Trans>
      It was moved to {tenant.cell}, with its members, keys, usage and invoices. Ask the operator
      for the address of its console; its keys work as before.
    </Trans>
  ) : (
    <Trans>
      It was moved to {tenant.cell}, with its members, keys, usage and invoices. Sign in there; its
      keys work as before.
    </Trans>
  );
}

/** To this very screen in the other console, or another look while the tenant is on its way. */
function WayThere({ tenant, look }: { tenant: MovedTenant; look: "primary" | "secondary" }) {
  const router = useRouter();
  const checkAgain = useRefreshVerifiedUser();
  if (tenant.isMoving) {
    return (
      <Button look={look} onClick={() => void checkAgain()}>
        <Trans>Check again</Trans>
      </Button>
    );
  }
  const origin = toWebAddress(tenant.consoleUrl);
  if (origin === undefined) {
    return null;
  }
  const { href } = router.buildLocation({
    to: ".",
    search: (before: Record<string, unknown>) => ({ ...before, tenant: tenant.slug }),
  });
  return (
    <ButtonLink look={look} link={<a href={`${origin}${href}`} />}>
      <Trans>Open the console of its cell</Trans>
    </ButtonLink>
  );
}
