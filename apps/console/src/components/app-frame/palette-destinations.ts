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
    label: "Live calls",
    words: "tail stream follow requests log",
    to: "/analytics",
    search: { tab: "live" },
    note: "Analytics",
  },
  {
    label: "Exports",
    words: "download csv json file usage",
    to: "/analytics",
    search: { tab: "exports" },
    note: "Analytics",
  },
  {
    label: "Alerts",
    words: "notices thresholds quota mail",
    to: "/analytics",
    search: { tab: "alerts" },
    note: "Analytics",
  },
  {
    label: "Meters",
    words: "count units events aggregation",
    to: "/plans",
    search: { tab: "meters" },
    note: "Plans",
    isForOperators: true,
  },
  {
    label: "Rejected events",
    words: "errors refused cloudevents",
    to: "/plans",
    search: { tab: "rejected" },
    note: "Plans",
    isForOperators: true,
  },
  {
    label: "Settings",
    words: "tenant name logo slug transfer delete preferences",
    to: "/tenants",
    search: { tab: "settings" },
    note: "Tenants",
  },
  {
    label: "Members",
    words: "team people invite invitation roles",
    to: "/tenants",
    search: { tab: "members" },
    note: "Tenants",
  },
  {
    label: "Webhooks",
    words: "endpoints deliveries callbacks",
    to: "/tenants",
    search: { tab: "webhooks" },
    note: "Tenants",
  },
  {
    label: "Agents",
    words: "mcp assistant model context protocol proposals accept",
    to: "/tenants",
    search: { tab: "agents" },
    note: "Tenants",
  },
  {
    label: "Audit log",
    words: "history trail who changed",
    to: "/tenants",
    search: { tab: "audit" },
    note: "Tenants",
  },
];

export type Guide = Searchable & { path: string };

/** Pages of the documentation, by question. */
export const GUIDES: readonly Guide[] = [
  { path: "/docs/api", label: "How the API works", words: "rest errors pagination limits guide" },
  { path: "/docs/keys", label: "How API keys work", words: "shortcuts bulk import guide" },
  {
    path: "/docs/analytics",
    label: "How analytics work",
    words: "success rate outcomes live calls exports saved views guide",
  },
  {
    path: "/docs/usage-queries",
    label: "How to ask about usage",
    words: "measures dimensions query csv guide",
  },
  {
    path: "/docs/events",
    label: "How events and meters work",
    words: "cloudevents usage metering guide",
  },
  {
    path: "/docs/alerts",
    label: "How alerts work",
    words: "quota thresholds notices guide",
  },
  {
    path: "/docs/webhooks",
    label: "How webhooks work",
    words: "signatures retries deliveries guide",
  },
  {
    path: "/docs/agents",
    label: "How agents connect",
    words: "mcp assistant model context protocol guide",
  },
  { path: "/docs/sdk", label: "How to use the SDK", words: "typescript middleware express guide" },
  { path: "/docs/gateway", label: "How the gateway works", words: "proxy upstream headers guide" },
  {
    path: "/docs/adopt",
    label: "How to put it in front of an API",
    words: "nginx caddy traefik envoy forward auth guide",
  },
  { path: "/docs/errors", label: "Error codes", words: "problem codes meaning refused guide" },
  { path: "/docs/leaks", label: "Keys found in public", words: "leaked secret scanning guide" },
  {
    path: "/docs/configuration",
    label: "How to configure it",
    words: "settings yaml environment variables catalogue guide",
  },
  {
    path: "/docs/operations",
    label: "How to run it",
    words: "backup retention workers upgrade guide",
  },
  {
    path: "/docs/command-line",
    label: "How to use the command line",
    words: "cli turnpike import logs guide",
  },
];
