import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { toButtonClasses } from "@turnpike/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@turnpike/ui/menu";
import CirclePause from "lucide-react/icons/circle-pause";
import CirclePlay from "lucide-react/icons/circle-play";
import EllipsisVertical from "lucide-react/icons/ellipsis-vertical";
import Gauge from "lucide-react/icons/gauge";
import ReceiptText from "lucide-react/icons/receipt-text";
import ScrollText from "lucide-react/icons/scroll-text";
import { useState } from "react";
import type { Tenant } from "../tenants.queries.ts";
import { LimitsDialog } from "./limits-dialog.tsx";
import { ResumeDialog, SuspendDialog } from "./suspension-dialogs.tsx";

export type TenantActionsProps = { tenant: Tenant; onAudit: (tenant: Tenant) => void };

/** An operator's actions on a tenant. */
export function TenantActions({ tenant, onAudit }: TenantActionsProps) {
  const [asked, setAsked] = useState<"suspend" | "resume" | "limits">("suspend");
  const [isAsking, setIsAsking] = useState(false);
  const ask = (what: typeof asked) => {
    setAsked(what);
    setIsAsking(true);
  };
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={t`Actions for ${tenant.name}`}
            className={toButtonClasses("quiet", "icon")}
          >
            <EllipsisVertical aria-hidden="true" />
          </button>
        }
      >
        <MenuItem
          icon={<ReceiptText aria-hidden="true" />}
          link={<Link to="/billings" search={{ view: "all", owner: tenant.tenantId }} />}
        >
          <Trans>Show billing</Trans>
        </MenuItem>
        <MenuItem icon={<ScrollText aria-hidden="true" />} onSelect={() => onAudit(tenant)}>
          <Trans>Show audit log</Trans>
        </MenuItem>
        <MenuItem icon={<Gauge aria-hidden="true" />} onSelect={() => ask("limits")}>
          <Trans>Change limits…</Trans>
        </MenuItem>
        <MenuSeparator />
        {tenant.suspendedAt === null ? (
          <MenuItem
            isDanger
            icon={<CirclePause aria-hidden="true" />}
            onSelect={() => ask("suspend")}
          >
            <Trans>Suspend tenant…</Trans>
          </MenuItem>
        ) : (
          <MenuItem icon={<CirclePlay aria-hidden="true" />} onSelect={() => ask("resume")}>
            <Trans>Resume tenant…</Trans>
          </MenuItem>
        )}
      </Menu>
      {asked === "limits" && (
        <LimitsDialog tenant={tenant} isOpen={isAsking} onClose={() => setIsAsking(false)} />
      )}
      {asked === "suspend" && (
        <SuspendDialog tenant={tenant} isOpen={isAsking} onClose={() => setIsAsking(false)} />
      )}
      {asked === "resume" && (
        <ResumeDialog tenant={tenant} isOpen={isAsking} onClose={() => setIsAsking(false)} />
      )}
    </>
  );
}
