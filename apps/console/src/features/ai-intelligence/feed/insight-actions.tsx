import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { Button, toButtonClasses } from "@turnpike/ui/button";
import { ButtonLink } from "@turnpike/ui/button-link";
import { Menu, MenuItem } from "@turnpike/ui/menu";
import Bell from "lucide-react/icons/bell";
import ChartLine from "lucide-react/icons/chart-line";
import Ellipsis from "lucide-react/icons/ellipsis";
import Gauge from "lucide-react/icons/gauge";
import Trash2 from "lucide-react/icons/trash-2";
import { useState } from "react";
import { toAlertProposal } from "#components/insights/alert-proposal.view-model.ts";
import type { InsightDialogs } from "#components/insights/insight-dialogs.ts";
import type { Insight } from "#components/insights/insights.queries.ts";
import { toEvidenceLink, toInsightLink } from "#components/insights/insights.view-model.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { listKeyTasks } from "./key-tasks.view-model.ts";
import { useCheckNow } from "./use-check-now.ts";

type Task = "edit" | "revoke" | "alert";

/** The one action of an insight as a button, and what else can be done about it behind another. */
export function InsightActions({
  tenant,
  insight,
  dialogs,
}: {
  tenant: OwnTenant;
  insight: Insight;
  dialogs: InsightDialogs;
}) {
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const check = useCheckNow(tenant);
  const { keyId, main, others } = listKeyTasks(insight, mayInTenant(tenant, "keys:write"));
  const proposal = mayInTenant(tenant, "alerts:write") ? toAlertProposal(insight) : undefined;
  const { label, ...link } = toInsightLink(insight);
  const chart = insight.action.do === "open_chart" ? undefined : toEvidenceLink(insight);
  const hasMore = others.length > 0 || proposal !== undefined || chart !== undefined;
  return (
    <div className="flex items-center gap-1">
      {main === undefined ? (
        <ButtonLink link={<Link {...link} />}>{label}</ButtonLink>
      ) : (
        <Button onClick={() => setTask(main.task)}>{main.label}</Button>
      )}
      {hasMore && (
        <Menu
          trigger={
            <button
              type="button"
              aria-label={t`More actions`}
              className={toButtonClasses("quiet", "icon")}
            >
              <Ellipsis aria-hidden="true" />
            </button>
          }
        >
          {chart !== undefined && (
            <MenuItem
              icon={<ChartLine aria-hidden="true" />}
              link={<Link to={chart.to} search={chart.search} />}
            >
              {chart.label}
            </MenuItem>
          )}
          {proposal !== undefined && (
            <MenuItem icon={<Bell aria-hidden="true" />} onSelect={() => setTask("alert")}>
              <Trans>Make an alert of this</Trans>
            </MenuItem>
          )}
          {others.map((other) => (
            <MenuItem
              key={other.task}
              icon={
                other.task === "revoke" ? (
                  <Trash2 aria-hidden="true" />
                ) : (
                  <Gauge aria-hidden="true" />
                )
              }
              isDanger={other.task === "revoke"}
              onSelect={() => setTask(other.task)}
            >
              {other.label}
            </MenuItem>
          ))}
        </Menu>
      )}
      {task === "alert" &&
        proposal !== undefined &&
        dialogs.renderAlert({ tenant, proposal, onClose: close })}
      {task !== undefined &&
        task !== "alert" &&
        keyId !== undefined &&
        dialogs.renderKey({ tenant, keyId, task, onClose: close, onDone: check.mutate })}
    </div>
  );
}
