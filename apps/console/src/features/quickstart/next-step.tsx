import { Link } from "@tanstack/react-router";
import { ButtonLink } from "@turnpike/ui/button-link";
import type { OwnTenant } from "#platform/current-tenant.ts";
import type { StepState } from "./quickstart.view-model.ts";

/** What people do once it works. */
export function NextStep({ tenant, state }: { tenant: OwnTenant; state: StepState }) {
  if (state === "finished") {
    return <p className="text-ink-muted">{tenant.name} is all set.</p>;
  }
  return (
    <>
      <p className="text-ink-muted">
        Find the plan that fits your needs, or invite someone to work with you.
      </p>
      <div className="flex flex-wrap gap-2">
        <ButtonLink
          look={state === "current" ? "primary" : "secondary"}
          link={<Link to="/plans" />}
        >
          Compare plans
        </ButtonLink>
        <ButtonLink link={<Link to="/tenants" search={{ tab: "members" }} />}>
          Invite a teammate
        </ButtonLink>
      </div>
    </>
  );
}
