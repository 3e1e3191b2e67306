import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ButtonLink } from "@turnpike/ui/button-link";
import { Card } from "@turnpike/ui/card";
import { ProgressBar } from "@turnpike/ui/progress-bar";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { progressQuery, STEP_IDS } from "#platform/quickstart-progress.ts";

export type SetupProgressProps = {
  tenantId: OwnTenant["tenantId"];
  /** False while it is not known. */
  hasCalls: boolean;
};

/** How far the quickstart has come, until it is finished, or until calls come from a tenant that never opened it. */
export function SetupProgress({ tenantId, hasCalls }: SetupProgressProps) {
  const { api } = usePlatform();
  // Not shown while it loads or cannot be loaded: nothing on this page depends on it.
  const { data } = useQuery(progressQuery(api, tenantId));
  const isSetUpElsewhere = hasCalls && data?.finished.length === 0;
  if (data === undefined || data.finished.length >= STEP_IDS.length || isSetUpElsewhere) {
    return null;
  }
  const total = STEP_IDS.length;
  // The tenant itself is there, whether or not anybody opened the quickstart.
  const done = Math.max(1, data.finished.length);
  return (
    <Card
      title="Finish setting up"
      isCall
      aside={
        <ButtonLink look="primary" link={<Link to="/quickstart" />}>
          Continue
        </ButtonLink>
      }
    >
      <ProgressBar
        label="Quickstart"
        progress={{ done, total }}
        text={`${String(done)} of ${String(total)} steps`}
      />
    </Card>
  );
}
