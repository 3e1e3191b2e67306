import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { IconButton } from "@turnpike/ui/icon-button";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Tooltip } from "@turnpike/ui/tooltip";
import PanelLeft from "lucide-react/icons/panel-left";
import { lazy, Suspense } from "react";
import { useCurrentTenant } from "#platform/current-tenant.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { SCREEN_LINK_CLASSES } from "./screen-link.ts";
import { maySeeScreen, SCREENS, type Screen } from "./screens.tsx";
import { TenantSwitcher } from "./tenant-switcher.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";
import { UserMenu } from "./user-menu.tsx";

/** For few people, so that the others do not load it. */
const OperatorGroup = lazy(async () => ({
  default: (await import("./operator-group.tsx")).OperatorGroup,
}));

export type SidebarProps = {
  /** Only icons. */
  isFolded: boolean;
  /** Left out where it cannot fold. */
  onToggleFold?: () => void;
  /** Called when a link is followed. */
  onNavigate?: () => void;
  onCreateTenant: () => void;
};

/** Tenant, screens, theme and person. */
export function Sidebar({ isFolded, onToggleFold, onNavigate, onCreateTenant }: SidebarProps) {
  const tenant = useCurrentTenant();
  const { user, tenants } = useVerifiedUser();
  const operatorGroup = user.isOperator && (
    <Suspense>
      <OperatorGroup isFolded={isFolded} {...(onNavigate !== undefined && { onNavigate })} />
    </Suspense>
  );
  // Operators without a tenant of their own come for the installation.
  const isOperatorFirst = tenants.length === 0;
  return (
    <div
      className={joinClasses("flex h-full min-h-0 flex-col gap-2 p-2", isFolded && "items-center")}
    >
      <TenantSwitcher
        isFolded={isFolded}
        onCreate={onCreateTenant}
        {...(onNavigate !== undefined && { onChosen: onNavigate })}
      />
      <nav
        aria-label={t`Screens`}
        className="min-h-0 w-full grow overflow-y-auto overflow-x-hidden p-0.5"
      >
        {isOperatorFirst && operatorGroup}
        <ul className="space-y-0.5">
          {SCREENS.filter(({ to }) => maySeeScreen(to, tenant, user.isOperator)).map((screen) => (
            <li key={screen.to}>
              <ScreenLink
                screen={screen}
                isFolded={isFolded}
                {...(onNavigate !== undefined && { onNavigate })}
              />
            </li>
          ))}
        </ul>
        {!isOperatorFirst && operatorGroup}
      </nav>
      <div className={joinClasses("flex w-full flex-col gap-2", isFolded && "items-center")}>
        <div
          className={joinClasses(
            "flex items-center justify-between gap-1",
            isFolded && "flex-col-reverse",
          )}
        >
          <ThemeSwitch isFolded={isFolded} />
          {onToggleFold !== undefined && (
            <IconButton
              label={isFolded ? t`Expand sidebar` : t`Collapse sidebar`}
              aria-expanded={!isFolded}
              icon={<PanelLeft aria-hidden="true" />}
              onClick={onToggleFold}
            />
          )}
        </div>
        <UserMenu isFolded={isFolded} />
      </div>
    </div>
  );
}

type ScreenLinkProps = { screen: Screen; isFolded: boolean; onNavigate?: () => void };

function ScreenLink({ screen, isFolded, onNavigate }: ScreenLinkProps) {
  const { to, label, Icon } = screen;
  const link = (
    <Link
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      {...(onNavigate !== undefined && { onClick: onNavigate })}
      {...(isFolded && { "aria-label": label })}
      className={joinClasses(
        SCREEN_LINK_CLASSES,
        isFolded ? "w-10 justify-center" : "gap-2.5 px-2.5",
      )}
    >
      <Icon className="size-4 shrink-0" aria-hidden="true" />
      {!isFolded && <span className="truncate">{label}</span>}
    </Link>
  );
  return isFolded ? (
    <Tooltip content={label} side="right" isName>
      {link}
    </Tooltip>
  ) : (
    link
  );
}
