import { t } from "@lingui/core/macro";
import { ALL_EVENTS, WEBHOOK_EVENT_TYPES } from "@turnpike/domain/webhooks/event-types";
import { inLanguage } from "#platform/server-words/server-words.ts";
import type { Attempt, Delivery, Webhook } from "./webhooks.queries.ts";

export type StateLabel = { tone: "ok" | "warning" | "danger" | "neutral" | "info"; label: string };

/** The state of an endpoint, as a label. */
export function toWebhookState(webhook: Pick<Webhook, "state" | "failingSince">): StateLabel {
  switch (webhook.state) {
    case "disabled":
      return { tone: "neutral", label: t`Disabled` };
    case "auto_disabled":
      return { tone: "danger", label: t`Disabled after failures` };
    case "paused":
      return { tone: "warning", label: t`Paused` };
    default:
      return webhook.failingSince === null
        ? { tone: "ok", label: t`Enabled` }
        : { tone: "warning", label: t`Failing` };
  }
}

/** What to do about an endpoint that is not enabled and not disabled by a person; undefined otherwise. */
export function toWebhookAdvice({
  state,
  disabledReason,
}: Pick<Webhook, "state" | "disabledReason">): string | undefined {
  if (disabledReason === null) {
    return;
  }
  return state === "paused"
    ? t`${inLanguage(disabledReason)} Nothing is sent to it. Check where it leads, replace its secret and take it over, or delete it.`
    : t`${inLanguage(disabledReason)} Fix the receiver, enable the webhook and replay the failures.`;
}

/** What switching an endpoint on or off is called. */
export function toSwitchLabel({ state }: Pick<Webhook, "state">): string {
  switch (state) {
    case "enabled":
      return t`Disable webhook`;
    case "paused":
      return t`Take over webhook`;
    default:
      return t`Enable webhook`;
  }
}

/** The state of a delivery, as a label. */
export function toDeliveryState(delivery: Pick<Delivery, "state" | "attempts">): StateLabel {
  switch (delivery.state) {
    case "succeeded":
      return { tone: "ok", label: t`Delivered` };
    case "failed":
      return { tone: "danger", label: t`Failed` };
    default:
      return delivery.attempts === 0
        ? { tone: "info", label: t`Sending` }
        : { tone: "warning", label: t`Retrying later` };
  }
}

/** The result of an attempt, such as "200 after 35 ms". */
export function toAttemptText({ status, error, durationMs }: Attempt): string {
  const after = t`after ${String(durationMs)} ms`;
  return status === null
    ? `${error ?? t`No answer.`} (${after})`
    : t`Answered ${String(status)} ${after}`;
}

/** Event types grouped by noun, in the order in which they are offered. */
export const EVENT_GROUPS: readonly { noun: string; types: readonly string[] }[] = [
  ...Map.groupBy(WEBHOOK_EVENT_TYPES, toNoun),
].map(([noun, types]) => ({ noun, types }));

function toNoun(type: string): string {
  const noun = (type.split(".")[0] ?? type).replace(/s$/, "").replaceAll("_", " ");
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s`;
}

/** The events that an endpoint receives, in one line. */
export function toEventsText(eventTypes: readonly string[]): string {
  if (eventTypes.includes(ALL_EVENTS)) {
    return t`Every event`;
  }
  const [first = "", second] = eventTypes;
  if (second === undefined) {
    return first;
  }
  return eventTypes.length === 2 ? `${first}, ${second}` : t`${String(eventTypes.length)} events`;
}

/** Formats a body over several lines; one that is not JSON stays as it is. */
export function toReadableBody(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
}
