import { t } from "@lingui/core/macro";
import type { Searchable } from "./command-match.view-model.ts";

/** A part of a screen that has an address of its own. */
export type Destination = Searchable & {
  /** Its screen. */
  to: "/analytics" | "/plans" | "/tenants";
  search: Readonly<Record<string, string>>;
  /** Shown at the right: the screen. */
  note: string;
  /** Only operators have it. */
  isForOperators?: boolean;
};

/** Destinations in a screen, by the names on their tabs. */
export const DESTINATIONS: readonly Destination[] = [
  {
    label: t`Live calls`,
    words: t`tail stream follow requests log`,
    to: "/analytics",
    search: { tab: "live" },
    note: t`Analytics`,
  },
  {
    label: t`Exports`,
    words: t`download csv json file usage`,
    to: "/analytics",
    search: { tab: "exports" },
    note: t`Analytics`,
  },
  {
    label: t`Alerts`,
    words: t`notices thresholds quota mail`,
    to: "/analytics",
    search: { tab: "alerts" },
    note: t`Analytics`,
  },
  {
    label: t`Meters`,
    words: t`count units events aggregation`,
    to: "/plans",
    search: { tab: "meters" },
    note: t`Plans`,
    isForOperators: true,
  },
  {
    label: t`Rejected events`,
    words: t`errors refused cloudevents`,
    to: "/plans",
    search: { tab: "rejected" },
    note: t`Plans`,
    isForOperators: true,
  },
  {
    label: t`Settings`,
    words: t`tenant name logo slug transfer delete preferences`,
    to: "/tenants",
    search: { tab: "settings" },
    note: t`Tenants`,
  },
  {
    label: t`Members`,
    words: t`team people invite invitation roles`,
    to: "/tenants",
    search: { tab: "members" },
    note: t`Tenants`,
  },
  {
    label: t`Webhooks`,
    words: t`endpoints deliveries callbacks`,
    to: "/tenants",
    search: { tab: "webhooks" },
    note: t`Tenants`,
  },
  {
    label: t`Agents`,
    words: t`mcp assistant model context protocol proposals accept`,
    to: "/tenants",
    search: { tab: "agents" },
    note: t`Tenants`,
  },
  {
    label: t`Audit log`,
    words: t`history trail who changed`,
    to: "/tenants",
    search: { tab: "audit" },
    note: t`Tenants`,
  },
];

export type Guide = Searchable & {
  path: string;
  /** About running the installation. */
  isForOperators?: boolean;
};

/** Pages of the documentation, by question. */
export const GUIDES: readonly Guide[] = [
  {
    path: "/docs/calling",
    label: t`How to call the API`,
    words: t`rate limit headers 429 retry idempotency rotate roll key guide`,
  },
  {
    path: "/docs/paying",
    label: t`How plans and invoices work`,
    words: t`payment cancel proration spend cap coupon guide`,
  },
  {
    path: "/docs/api",
    label: t`How the management API works`,
    words: t`rest errors pagination idempotency guide`,
  },
  { path: "/docs/keys", label: t`How API keys work`, words: t`shortcuts bulk import guide` },
  {
    path: "/docs/analytics",
    label: t`How analytics work`,
    words: t`success rate outcomes live calls exports saved views guide`,
  },
  {
    path: "/docs/usage-queries",
    label: t`How to ask about usage`,
    words: t`measures dimensions query csv guide`,
  },
  {
    path: "/docs/events",
    label: t`How events and meters work`,
    words: t`cloudevents usage metering guide`,
  },
  {
    path: "/docs/alerts",
    label: t`How alerts work`,
    words: t`quota thresholds notices guide`,
  },
  {
    path: "/docs/webhooks",
    label: t`How webhooks work`,
    words: t`signatures retries deliveries guide`,
  },
  {
    path: "/docs/agents",
    label: t`How agents connect`,
    words: t`mcp assistant model context protocol guide`,
  },
  {
    path: "/docs/sdk",
    label: t`How to use the SDK`,
    words: t`typescript middleware express guide`,
    isForOperators: true,
  },
  {
    path: "/docs/gateway",
    label: t`How the gateway works`,
    words: t`proxy upstream headers guide`,
    isForOperators: true,
  },
  {
    path: "/docs/adopt",
    label: t`How to put it in front of an API`,
    words: t`nginx caddy traefik envoy forward auth guide`,
    isForOperators: true,
  },
  { path: "/docs/errors", label: t`Error codes`, words: t`problem codes meaning refused guide` },
  { path: "/docs/leaks", label: t`Keys found in public`, words: t`leaked secret scanning guide` },
  {
    path: "/docs/configuration",
    label: t`How to configure it`,
    words: t`settings yaml environment variables catalogue guide`,
    isForOperators: true,
  },
  {
    path: "/docs/operations",
    label: t`How to run it`,
    words: t`backup retention workers upgrade guide`,
    isForOperators: true,
  },
  {
    path: "/docs/command-line",
    label: t`How to use the command line`,
    words: t`cli turnpike import logs guide`,
    isForOperators: true,
  },
];
