import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { joinClasses } from "@turnpike/ui/join-classes";
import { Tooltip } from "@turnpike/ui/tooltip";
import Activity from "lucide-react/icons/activity";
import Building from "lucide-react/icons/building";
import House from "lucide-react/icons/house";
import KeySquare from "lucide-react/icons/key-square";
import Lightbulb from "lucide-react/icons/lightbulb";
import ListTree from "lucide-react/icons/list-tree";
import Mail from "lucide-react/icons/mail";
import ScrollText from "lucide-react/icons/scroll-text";
import type { ComponentType } from "react";
import { OPERATOR_SCREENS, type OperatorScreen } from "./operator-screens.ts";
import { SCREEN_LINK_CLASSES } from "./screen-link.ts";

const ICONS: Readonly<Record<OperatorScreen["to"], ComponentType<{ className?: string }>>> = {
  "/operator": House,
  "/operator/tenants": Building,
  "/operator/insights": Lightbulb,
  "/operator/calls": ListTree,
  "/operator/service-keys": KeySquare,
  "/operator/audit": ScrollText,
  "/operator/outbox": Mail,
  "/operator/health": Activity,
};

export type OperatorGroupProps = {
  /** Only icons. */
  isFolded: boolean;
  /** Called when a link is followed. */
  onNavigate?: () => void;
};

/** The screens of those who run the installation, apart from those of a tenant. */
export function OperatorGroup({ isFolded, onNavigate }: OperatorGroupProps) {
  return (
    <section
      aria-label={t`Operator`}
      className="my-2 border-line border-t pt-2 first:mt-0 first:border-t-0 first:border-b first:pt-0 first:pb-2"
    >
      {!isFolded && (
        <h2 className="px-2.5 pb-1 font-medium text-ink-muted text-xs">
          <Trans>Operator</Trans>
        </h2>
      )}
      <ul className="space-y-0.5">
        {OPERATOR_SCREENS.map((screen) => (
          <li key={screen.to}>
            <OperatorLink
              screen={screen}
              isFolded={isFolded}
              {...(onNavigate !== undefined && { onNavigate })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function OperatorLink({
  screen: { to, label },
  isFolded,
  onNavigate,
}: OperatorGroupProps & { screen: OperatorScreen }) {
  const Icon = ICONS[to];
  const link = (
    <Link
      to={to}
      // These screens are about no tenant: one that was visited is left behind.
      search={{ tenant: undefined }}
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
