/** The screens of those who run the installation, in the order of the navigation. */
export const OPERATOR_SCREENS = [
  { to: "/operator", label: "Your API", words: "home operator dashboard revenue set up" },
  { to: "/operator/tenants", label: "All tenants", words: "customers suspend plan operator" },
  {
    to: "/operator/insights",
    label: "Insights",
    words: "over all tenants anomalies unusual errors operator",
  },
  {
    to: "/operator/service-keys",
    label: "Service keys",
    words: "programs backend operator credentials",
  },
  { to: "/operator/audit", label: "Audit log", words: "trail who changed history operator" },
  { to: "/operator/outbox", label: "Outbox", words: "mail e-mail sent operator" },
  { to: "/operator/health", label: "Health", words: "status system operator database" },
] as const;

export type OperatorScreen = (typeof OPERATOR_SCREENS)[number];
