import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { ButtonLink } from "@turnpike/ui/button-link";
import type { OwnTenant } from "#platform/current-tenant.ts";
import type { StepState } from "./quickstart.view-model.ts";

/** What people do once it works. */
export function NextStep({ tenant, state }: { tenant: OwnTenant; state: StepState }) {
  if (state === "finished") {
    return (
      <p className="text-ink-muted">
        <Trans>{tenant.name} is all set.</Trans>
      </p>
    );
  }
  return (
    <>
      <p className="text-ink-muted">
        <Trans>Find the plan that fits your needs, or invite someone to work with you.</Trans>
      </p>
      <div className="flex flex-wrap gap-2">
        <ButtonLink
          look={state === "current" ? "primary" : "secondary"}
          link={<Link to="/plans" />}
        >
          <Trans>Compare plans</Trans>
        </ButtonLink>
        <ButtonLink link={<Link to="/tenants" search={{ tab: "members" }} />}>
          <Trans>Invite a teammate</Trans>
        </ButtonLink>
      </div>
    </>
  );
}
