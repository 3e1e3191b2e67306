import { Link } from "@tanstack/react-router";
import { toButtonClasses } from "@turnpike/ui/button";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Menu, MenuItem, MenuSeparator } from "@turnpike/ui/menu";
import CirclePause from "lucide-react/icons/circle-pause";
import CirclePlay from "lucide-react/icons/circle-play";
import EllipsisVertical from "lucide-react/icons/ellipsis-vertical";
import ReceiptText from "lucide-react/icons/receipt-text";
import ScrollText from "lucide-react/icons/scroll-text";
import { useState } from "react";
import { toast } from "sonner";
import { toErrorMessage } from "#platform/error-message.ts";
import type { Tenant } from "../tenants.queries.ts";
import { useUpdateAnyTenant } from "./use-update-any-tenant.ts";

export type TenantActionsProps = { tenant: Tenant; onAudit: (tenant: Tenant) => void };

/** An operator's actions on a tenant. */
export function TenantActions({ tenant, onAudit }: TenantActionsProps) {
  const [asked, setAsked] = useState<"suspend" | "resume">("suspend");
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
            aria-label={`Actions for ${tenant.name}`}
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
          Show billing
        </MenuItem>
        <MenuItem icon={<ScrollText aria-hidden="true" />} onSelect={() => onAudit(tenant)}>
          Show audit log
        </MenuItem>
        <MenuSeparator />
        {tenant.suspendedAt === null ? (
          <MenuItem
            isDanger
            icon={<CirclePause aria-hidden="true" />}
            onSelect={() => ask("suspend")}
          >
            Suspend tenant…
          </MenuItem>
        ) : (
          <MenuItem icon={<CirclePlay aria-hidden="true" />} onSelect={() => ask("resume")}>
            Resume tenant…
          </MenuItem>
        )}
      </Menu>
      <SuspensionDialog
        tenant={tenant}
        asked={asked}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
      />
    </>
  );
}

const WORDS = {
  suspend: {
    verb: "Suspend",
    progress: "Suspending…",
    done: "is suspended: all its calls are blocked.",
    description:
      "All calls with its keys are blocked within a second. Members can still sign in and see why. The audit log will say that it was you, and you can resume the tenant at any time.",
  },
  resume: {
    verb: "Resume",
    progress: "Resuming…",
    done: "is active again.",
    description:
      "Its keys work again within a second, with the limits of its plan. The audit log will say that it was you.",
  },
} as const;

type SuspensionDialogProps = {
  tenant: Tenant;
  asked: keyof typeof WORDS;
  isOpen: boolean;
  onClose: () => void;
};

function SuspensionDialog({ tenant, asked, isOpen, onClose }: SuspensionDialogProps) {
  const update = useUpdateAnyTenant(tenant.tenantId);
  const words = WORDS[asked];

  function close(): void {
    update.reset();
    onClose();
  }

  function confirm(): void {
    update.mutate(
      { suspended: asked === "suspend" },
      {
        onSuccess: () => {
          toast.success(`${tenant.name} ${words.done}`);
          close();
        },
      },
    );
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={close}
      title={`${words.verb} ${tenant.name}?`}
      description={words.description}
      action={`${words.verb} tenant`}
      {...(asked === "suspend" ? { nameToType: tenant.name } : { isDangerous: false })}
      progress={update.isPending ? words.progress : undefined}
      error={update.isError ? toErrorMessage(update.error) : undefined}
      onConfirm={confirm}
    />
  );
}
