import { t } from "@lingui/core/macro";
import type { LiveCall } from "@turnpike/contract/live-calls";
import { ADMITTED_OUTCOMES } from "@turnpike/domain/metering/outcome";
import { toOutcomeLabel } from "@turnpike/domain/metering/to-outcome-label";
import { LANGUAGE } from "@turnpike/ui/language";
import { formatCount } from "#platform/format.ts";
import { formatBytes } from "#platform/format-measure.ts";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { type KeyName, toDimensionName } from "../breakdown.view-model.ts";

/** A call in words. */
export type LiveRow = {
  time: string;
  key: string;
  /** "GET /v1/cities/{name}", or what happened when there was no call. */
  method: string;
  route: string;
  status: string;
  outcome: string;
  /** The outcome code. */
  code: string;
  /** The call was refused here or failed at the upstream. A 404 from the upstream is an ordinary answer. */
  isAlarm: boolean;
  /** Empty where nothing was measured. */
  latency: string;
  bytes: string;
  /** Empty where the API has no models. */
  model: string;
  /** Tokens in and out: "1,204 → 310". Empty where none are billed. */
  tokens: string;
};

const LATENCY = new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 3 });

/** Creates a formatter of instants to the millisecond in a zone: "14:03:07.120", with its date "Nov 27, 14:03:07.120". */
export function createClock(
  timeZone: string,
  { hasDate = false }: { hasDate?: boolean } = {},
): (iso: string) => string {
  const format = new Intl.DateTimeFormat(LANGUAGE, {
    ...(hasDate && { month: "short", day: "numeric" }),
    timeZone,
    hourCycle: "h23",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  });
  return (iso) => format.format(new Date(iso));
}

/** What went in, from a cache or not, and what came out. */
function toTokensText({ input, cacheRead, cacheWrite, output }: NonNullable<LiveCall["tokens"]>) {
  return `${formatCount(input + cacheRead + cacheWrite)} → ${formatCount(output)}`;
}

export function toLiveRow(
  call: LiveCall,
  { clock, keyNames }: { clock(iso: string): string; keyNames: ReadonlyMap<string, KeyName> },
): LiveRow {
  const { latencyMs, bytesIn, bytesOut } = call;
  return {
    time: clock(call.at),
    key: toDimensionName("key", call.keyId, keyNames).label,
    method: call.method,
    route:
      call.route === "" ? t`Verification` : toDimensionName("route", call.route, keyNames).label,
    status: String(call.status),
    outcome: inLanguage(toOutcomeLabel(call.outcome)),
    code: call.outcome,
    isAlarm: call.status >= 500 || !ADMITTED_OUTCOMES.some((one) => one === call.outcome),
    latency: latencyMs === null ? "" : t`${LATENCY.format(latencyMs)} ms`,
    model: call.model === "" ? "" : toDimensionName("model", call.model, keyNames).label,
    tokens: call.tokens === null ? "" : toTokensText(call.tokens),
    bytes: bytesIn === null || bytesOut === null ? "" : formatBytes(bytesIn + bytesOut),
  };
}
