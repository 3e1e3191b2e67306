import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ButtonLink } from "@turnpike/ui/button-link";
import { Card } from "@turnpike/ui/card";
import { ProgressBar } from "@turnpike/ui/progress-bar";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { progressQuery, STEP_IDS, type StepId } from "#platform/quickstart-progress.ts";

/** Steps that are finished whether or not anyone opened the quickstart. */
const DONE_AT_FIRST: readonly StepId[] = ["tenant"];
const DONE_BY_CALLS: readonly StepId[] = ["tenant", "key", "call", "arrival"];

/** A tenant of the last month is most likely still being set up. */
const SETTING_UP_MS = 30 * 24 * 60 * 60 * 1000;

export type SetupProgressProps = {
  tenantId: OwnTenant["tenantId"];
  /** ISO 8601. */
  createdAt: string;
  /** Undefined while it is not known. */
  hasCalls: boolean | undefined;
};

/** Shows the progress of the quickstart until it is finished. Hidden for tenants that made calls without opening it. */
export function SetupProgress({ tenantId, createdAt, hasCalls }: SetupProgressProps) {
  const { api } = usePlatform();
  const { data, isError } = useQuery(progressQuery(api, tenantId));
  if (data === undefined || hasCalls === undefined) {
    // A young tenant keeps the room, so that nothing below jumps. For others the card is hidden while anything is unknown.
    const isLikely = !isError && Date.now() - Date.parse(createdAt) < SETTING_UP_MS;
    return isLikely ? (
      <div role="status" aria-label={t`Loading the progress of the setup`}>
        <Skeleton className="h-24 rounded-card" />
      </div>
    ) : null;
  }
  const total = STEP_IDS.length;
  const isSetUpElsewhere = hasCalls && data.finished.length === 0;
  const done = new Set([...data.finished, ...(hasCalls ? DONE_BY_CALLS : DONE_AT_FIRST)]).size;
  if (isSetUpElsewhere || done >= total) {
    return null;
  }
  return (
    <Card
      title={t`Finish setting up`}
      isCall
      aside={
        <ButtonLink look="primary" link={<Link to="/quickstart" />}>
          <Trans>Continue</Trans>
        </ButtonLink>
      }
    >
      <ProgressBar
        label={t`Quickstart`}
        progress={{ done, total }}
        text={t`${String(done)} of ${String(total)} steps`}
      />
    </Card>
  );
}
