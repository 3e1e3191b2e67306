import { t } from "@lingui/core/macro";
import type { Scope } from "@turnpike/domain/access/scopes";
import Building2 from "lucide-react/icons/building-2";
import ChartColumn from "lucide-react/icons/chart-column";
import CreditCard from "lucide-react/icons/credit-card";
import KeyRound from "lucide-react/icons/key-round";
import Layers from "lucide-react/icons/layers";
import LayoutDashboard from "lucide-react/icons/layout-dashboard";
import Rocket from "lucide-react/icons/rocket";
import Sparkles from "lucide-react/icons/sparkles";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { OPERATOR_SCREENS } from "./operator-screens.ts";

/** The signed-in screens, in the order of the navigation. */
export const SCREENS = [
  {
    to: "/overview",
    scope: "usage:read",
    label: t`Overview`,
    Icon: LayoutDashboard,
    words: t`home dashboard summary`,
  },
  {
    to: "/quickstart",
    scope: "keys:read",
    label: t`Quickstart`,
    Icon: Rocket,
    words: t`start guide first call setup`,
  },
  {
    to: "/api-keys",
    scope: "keys:read",
    label: t`API keys`,
    Icon: KeyRound,
    words: t`credentials revoke roll`,
  },
  {
    to: "/analytics",
    scope: "usage:read",
    label: t`Analytics`,
    Icon: ChartColumn,
    words: t`usage requests latency errors`,
  },
  {
    to: "/ai-intelligence",
    scope: "usage:read",
    label: t`AI intelligence`,
    Icon: Sparkles,
    words: t`insights forecast ask`,
  },
  {
    to: "/plans",
    label: t`Plans`,
    Icon: Layers,
    words: t`prices limits upgrade quotas`,
  },
  {
    to: "/billings",
    scope: "billing:read",
    label: t`Billings`,
    Icon: CreditCard,
    words: t`invoices payment charges`,
  },
  { to: "/tenants", label: t`Tenants`, Icon: Building2, words: t`members roles team settings` },
] as const;

export type Screen = (typeof SCREENS)[number];

/**
 * Whether a person sees the screen of a path in a tenant. Built-in roles see all; a role that the tenant made sees those that it
 * has the scope for.
 */
export function maySeeScreen(
  path: string,
  tenant: OwnTenant | undefined,
  isOperator: boolean,
): boolean {
  const screen: { to: string; scope?: Scope } | undefined = SCREENS.find(({ to }) => to === path);
  const scope = screen?.scope;
  return scope === undefined || isOperator || tenant === undefined || mayInTenant(tenant, scope);
}

/** What the frame says of the screen that it shows. */
export type ShownScreen = { to: string; label: string };

/** Signed-in screens that a person is sent to, and that the navigation does not offer. */
const SIDE_SCREENS: readonly ShownScreen[] = [
  { to: "/account", label: t`Your account` },
  { to: "/device", label: t`Command lines` },
  { to: "/connect", label: t`Connect an agent` },
];

/** Whether a screen is about the whole installation and no tenant. */
export function isOfOperator(screen: ShownScreen | undefined): boolean {
  return screen !== undefined && OPERATOR_SCREENS.some(({ to }) => to === screen.to);
}

/** The screen of a path; undefined for one that is none. */
export function findScreen(path: string): ShownScreen | undefined {
  const visited = path.replace(/\/+$/, "");
  return [...SCREENS, ...OPERATOR_SCREENS, ...SIDE_SCREENS].find(({ to }) => to === visited);
}
