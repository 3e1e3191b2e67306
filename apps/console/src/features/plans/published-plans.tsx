import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "@turnpike/ui/empty-state";
import Layers from "lucide-react/icons/layers";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { PlanOffers } from "./plan-offers.tsx";

const LINK_CLASSES = "font-medium text-ink underline underline-offset-4";

/** The published plans, and where an operator changes them and the tenants on them. */
export function PublishedPlans() {
  const tenant = useCurrentTenant();
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-muted">
        <Trans>
          Your customers see these plans on the landing page and here. Changing a plan creates a new
          version: tenants keep the version they started on.
        </Trans>
      </p>
      <PlanOffers
        key={tenant?.tenantId}
        tenant={tenant}
        owner={tenant?.name}
        empty={
          <EmptyState
            icon={<Layers />}
            title={t`No plan is published`}
            snippet={{
              subject: t`Command: Publish a catalogue`,
              code: "npm run turnpike -- catalog apply catalog.yaml",
            }}
          >
            <Trans>
              Plans set what calls cost and their limits. Publish a catalogue of meters and plans
              for customers to choose from.
            </Trans>
          </EmptyState>
        }
      >
        <p className="mt-6 max-w-[72ch] text-ink-muted">
          <Trans>
            Plans are changed in the{" "}
            <a href="/docs/configuration#catalog" className={LINK_CLASSES}>
              catalogue
            </a>
            , by <code className="font-mono text-xs">turnpike catalog apply</code> or the API. Move
            a tenant to another plan in{" "}
            <Link to="/operator/tenants" className={LINK_CLASSES}>
              All tenants
            </Link>
            : it takes effect within a second, and usage in this period carries over.
          </Trans>
        </p>
      </PlanOffers>
    </>
  );
}
