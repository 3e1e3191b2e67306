import { t } from "@lingui/core/macro";
import type { SeriesTone } from "@turnpike/ui/charts/chart-types";

/** Outcomes that mean the same to who looks at a chart. */
export type OutcomeGroup = { key: string; label: string; tone: SeriesTone };

const SERVED: OutcomeGroup = { key: "served", label: t`Allowed`, tone: "accent" };
const LEFT: OutcomeGroup = { key: "left", label: t`Closed by client`, tone: "neutral" };
const UPSTREAM: OutcomeGroup = { key: "upstream", label: t`Upstream error`, tone: "danger" };
const RATE: OutcomeGroup = { key: "rate", label: t`Rate limited`, tone: "warning" };
const QUOTA: OutcomeGroup = { key: "quota", label: t`Quota or payment`, tone: "violet" };
const KEY: OutcomeGroup = { key: "key", label: t`Key rejected`, tone: "info" };
const OTHER: OutcomeGroup = { key: "other", label: t`Other denials`, tone: "teal" };

/** In the order in which they are stacked: what is well at the bottom. */
export const OUTCOME_GROUPS: readonly OutcomeGroup[] = [
  SERVED,
  LEFT,
  UPSTREAM,
  RATE,
  QUOTA,
  KEY,
  OTHER,
];

const GROUP_OF: Readonly<Record<string, OutcomeGroup>> = {
  VALID: SERVED,
  CLIENT_ABORTED: LEFT,
  UPSTREAM_UNREACHABLE: UPSTREAM,
  UPSTREAM_TIMEOUT: UPSTREAM,
  OVERLOADED: UPSTREAM,
  REQUEST_TIMEOUT: LEFT,
  PAYLOAD_TOO_LARGE: LEFT,
  RATE_LIMITED: RATE,
  CONCURRENCY_LIMITED: RATE,
  QUOTA_EXCEEDED: QUOTA,
  PAYMENT_REQUIRED: QUOTA,
  SPEND_CAP_REACHED: QUOTA,
  MISSING_KEY: KEY,
  INVALID_KEY: KEY,
  REVOKED: KEY,
  EXPIRED: KEY,
  DISABLED: KEY,
  NO_TEST_UPSTREAM: KEY,
};

/**
 * The group of an outcome; one that is not known is a denial of another kind.
 *
 * @param statusClass - Of the answer, such as `5xx`: with it the upstream has failed although the call came through. Left
 *   out: not known.
 */
export function toOutcomeGroup(outcome: string, statusClass?: string): OutcomeGroup {
  if (outcome === "VALID" && statusClass === "5xx") {
    return UPSTREAM;
  }
  return GROUP_OF[outcome] ?? OTHER;
}

/** The tone of an HTTP status or a class of them: success, redirect, the caller's mistake, the server's failure. */
export function toStatusTone(status: string): SeriesTone {
  switch (status.charAt(0)) {
    case "2":
      return "ok";
    case "3":
      return "info";
    case "4":
      return "warning";
    case "5":
      return "danger";
    default:
      return "neutral";
  }
}
