import { t } from "@lingui/core/macro";

/** The screens of those who run the installation, in the order of the navigation. */
export const OPERATOR_SCREENS = [
  { to: "/operator", label: t`Your API`, words: t`home operator dashboard revenue set up` },
  { to: "/operator/tenants", label: t`All tenants`, words: t`customers suspend plan operator` },
  {
    to: "/operator/insights",
    label: t`Insights`,
    words: t`over all tenants anomalies unusual errors operator`,
  },
  { to: "/operator/calls", label: t`Calls`, words: t`requests search log every call operator` },
  {
    to: "/operator/service-keys",
    label: t`Service keys`,
    words: t`programs backend operator credentials`,
  },
  { to: "/operator/audit", label: t`Audit log`, words: t`trail who changed history operator` },
  { to: "/operator/outbox", label: t`Outbox`, words: t`mail e-mail sent operator` },
  { to: "/operator/health", label: t`Health`, words: t`status system operator database` },
] as const;

export type OperatorScreen = (typeof OPERATOR_SCREENS)[number];
