import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { useCurrentTenant, useForeignTenantSlug } from "#platform/current-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";

/** The address is anybody's to write: only what can be a slug is repeated in our words. */
const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Says whose numbers the screen shows when its address names a tenant that the person does not belong to. */
export function ForeignTenantNotice() {
  const slug = useForeignTenantSlug();
  const tenant = useCurrentTenant();
  const { user } = useVerifiedUser();
  const navigate = useNavigate();
  if (slug === undefined || tenant === undefined) {
    return null;
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b bg-warning-soft px-4 py-2 md:px-6">
      <p role="status" className="min-w-0 [overflow-wrap:anywhere]">
        <Trans>
          {user.isOperator
            ? t`There is no tenant ${SLUG.test(slug) ? slug : t`at this address`}`
            : t`You are not a member of ${SLUG.test(slug) ? slug : t`the tenant in the address`}`}
          ; this is {tenant.name}.
        </Trans>
      </p>
      <Button
        size="small"
        onClick={() =>
          void navigate({
            to: ".",
            search: (before) => ({ ...before, tenant: tenant.slug }),
            replace: true,
          })
        }
      >
        <Trans>Continue with {tenant.name}</Trans>
      </Button>
    </div>
  );
}
