import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { Combobox } from "@turnpike/ui/combobox";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Skeleton } from "@turnpike/ui/skeleton";
import Building2 from "lucide-react/icons/building-2";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import Plus from "lucide-react/icons/plus";
import type { ReactElement } from "react";
import {
  type MovedTenant,
  type OwnTenant,
  rememberTenant,
  useCurrentTenant,
  useMovedTenants,
  useTenantVisit,
} from "#platform/current-tenant.ts";
import { titleRole } from "#platform/may-in-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { TenantMark } from "../tenant-mark.tsx";

/** Goes to a tenant: the screen stays, its numbers become the tenant's. */
export function useSwitchTenant(): (slug: string) => void {
  const navigate = useNavigate();
  return (slug) => {
    rememberTenant(slug);
    void navigate({ to: ".", search: (before) => ({ ...before, tenant: slug }) });
  };
}

export type TenantSwitcherProps = {
  isFolded: boolean;
  onCreate: () => void;
  onChosen?: () => void;
};

/** Which tenant the screens are about, the others by search, and a way to create one. */
export function TenantSwitcher({ isFolded, onCreate, onChosen }: TenantSwitcherProps) {
  const { tenants } = useVerifiedUser();
  const current = useCurrentTenant();
  const visit = useTenantVisit();
  const moved = useMovedTenants();
  const shown = visit.state === "moved" ? visit.tenant : current;
  const switchTo = useSwitchTenant();

  if (current === undefined && visit.state === "opening") {
    return <Skeleton className={isFolded ? "size-10 shrink-0" : "h-12 w-full shrink-0"} />;
  }
  if (shown === undefined && tenants.length === 0 && moved.length === 0) {
    return (
      <button
        type="button"
        onClick={onCreate}
        aria-label={t`Create tenant`}
        className={joinClasses(toTriggerClasses(isFolded), "border-dashed")}
      >
        <Plus className="size-4 shrink-0" aria-hidden="true" />
        {!isFolded && (
          <span className="font-medium">
            <Trans>Create tenant</Trans>
          </span>
        )}
      </button>
    );
  }
  return (
    <Combobox
      label={t`Switch tenant`}
      searchLabel={t`Find a tenant`}
      emptyText={t`You have no tenant with this name.`}
      side="bottom"
      choices={[...tenants, ...moved].map((tenant) => ({
        value: tenant.slug,
        label: tenant.name,
        note: describe(tenant),
      }))}
      value={shown?.slug ?? ""}
      onValueChange={(slug) => {
        switchTo(slug);
        onChosen?.();
      }}
      trigger={toTrigger(shown, isFolded)}
      footer={
        <button
          type="button"
          onClick={onCreate}
          className="flex min-h-8 w-full cursor-pointer items-center gap-2 rounded-control px-2 py-1.5 text-left hover:bg-hover touch:min-h-11"
        >
          <Plus className="size-4" aria-hidden="true" />
          <Trans>Create tenant</Trans>
        </button>
      }
    />
  );
}

function toTriggerClasses(isFolded: boolean): string {
  return joinClasses(
    "flex shrink-0 cursor-pointer items-center rounded-control border border-line bg-surface hover:bg-hover",
    isFolded ? "size-10 justify-center" : "h-12 w-full gap-2.5 px-2 text-left",
  );
}

function toTrigger(
  tenant: OwnTenant | MovedTenant | undefined,
  isFolded: boolean,
): ReactElement<Record<string, unknown>> {
  return (
    <button
      type="button"
      aria-label={
        tenant === undefined
          ? t`No tenant selected`
          : t`Tenant: ${tenant.name}, ${nameStanding(tenant)}`
      }
      className={toTriggerClasses(isFolded)}
    >
      {tenant === undefined ? (
        <Building2 className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
      ) : (
        <TenantMark tenant={isMoved(tenant) ? { ...tenant, logoId: null } : tenant} />
      )}
      {!isFolded && (
        <>
          <span className="min-w-0 grow">
            <span className="block truncate font-semibold leading-tight">
              {tenant?.name ?? t`Choose a tenant`}
            </span>
            {tenant !== undefined && (
              <span
                className={joinClasses(
                  "block truncate text-xs leading-tight",
                  !isMoved(tenant) && tenant.isVisited === true
                    ? "font-medium text-info"
                    : "text-ink-muted",
                )}
              >
                {describe(tenant)}
              </span>
            )}
          </span>
          <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
        </>
      )}
    </button>
  );
}

function isMoved(tenant: OwnTenant | MovedTenant): tenant is MovedTenant {
  return "cell" in tenant;
}

function nameStanding(tenant: OwnTenant | MovedTenant): string {
  if (isMoved(tenant)) {
    return tenant.isMoving ? t`On its way to another cell` : t`In another cell`;
  }
  if (tenant.isActed === true) {
    return t`Acting as operator`;
  }
  return tenant.isVisited === true ? t`Viewing as operator` : titleRole(tenant);
}

function describe(tenant: OwnTenant | MovedTenant): string {
  const role = nameStanding(tenant);
  return isMoved(tenant) || tenant.suspendedAt === null ? role : t`${role}, suspended`;
}
