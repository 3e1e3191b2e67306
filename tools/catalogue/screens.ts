/** For whom a screen is: a visitor, a member of a tenant, or the operator of the installation. */
export type Audience = "visitor" | "member" | "operator";

export type Screen = {
  name: string;
  path: string;
  audience: Audience;
  /** The button that opens what is looked at, such as the notifications, in each language. */
  press?: RegExp;
};

const VISITOR: Readonly<Record<string, string>> = {
  landing: "/",
  login: "/login",
  register: "/register",
  terms: "/terms",
  privacy: "/privacy",
  docs: "/docs",
  "docs-guide": "/docs/billing",
  "docs-error": "/docs/errors/quota-exceeded",
  "docs-search": "/docs/search?q=rate%20limits",
  "api-reference": "/v1/reference/keys",
};

const MEMBER: Readonly<Record<string, string>> = {
  overview: "/overview",
  quickstart: "/quickstart",
  "api-keys": "/api-keys",
  "api-keys-create": "/api-keys?dialog=create",
  analytics: "/analytics?range=30d",
  "analytics-live": "/analytics?tab=live",
  "analytics-calls": "/analytics?tab=calls",
  "analytics-exports": "/analytics?tab=exports",
  "analytics-alerts": "/analytics?tab=alerts",
  "ai-intelligence": "/ai-intelligence",
  "ai-intelligence-ask": "/ai-intelligence?ask=requests%20by%20route%20last%20week",
  plans: "/plans",
  "plans-sandbox": "/plans?environment=test",
  billings: "/billings",
  "billings-sandbox": "/billings?environment=test",
  tenants: "/tenants",
  "tenants-settings": "/tenants?tab=settings",
  "tenants-members": "/tenants?tab=members",
  "tenants-sso": "/tenants?tab=sso",
  "tenants-webhooks": "/tenants?tab=webhooks",
  "tenants-agents": "/tenants?tab=agents",
  "tenants-audit": "/tenants?tab=audit",
  account: "/account",
  device: "/device",
  "not-found": "/overview/nothing-here",
};

const OPERATOR: Readonly<Record<string, string>> = {
  operator: "/operator",
  "operator-tenants": "/operator/tenants",
  "operator-insights": "/operator/insights",
  "operator-calls": "/operator/calls",
  "operator-service-keys": "/operator/service-keys",
  "operator-audit": "/operator/audit",
  "operator-outbox": "/operator/outbox",
  "operator-health": "/operator/health",
  "plans-catalogue": "/plans?tab=catalogue",
  "plans-coupons": "/plans?tab=coupons",
  "plans-meters": "/plans?tab=meters",
  "billings-all": "/billings?view=all",
  "billings-payments": "/billings?view=all&report=payments",
  "billings-revenue": "/billings?view=all&report=revenue",
  "billings-dunning": "/billings?view=all&report=dunning",
  "billings-tax": "/billings?view=all&report=tax",
  "billings-setup": "/billings?view=all&report=setup",
};

/** Every screen of the console, in the order of the navigation. */
export const SCREENS: readonly Screen[] = [
  ...toScreens("visitor", VISITOR),
  ...toScreens("member", MEMBER),
  {
    name: "notifications",
    path: "/overview",
    audience: "member",
    press: /^(Notifications|Benachrichtigungen)/,
  },
  ...toScreens("operator", OPERATOR),
];

function toScreens(audience: Audience, paths: Readonly<Record<string, string>>): Screen[] {
  return Object.entries(paths).map(([name, path]) => ({ name, path, audience }));
}
