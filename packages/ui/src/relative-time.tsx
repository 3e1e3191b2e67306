import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useSyncExternalStore } from "react";
import { LANGUAGE } from "./language.tsx";
import { Tooltip } from "./tooltip.tsx";

/** How often shown times are looked at again, in milliseconds. */
const REFRESH_MS = 15_000;

const RELATIVE = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto" });
const LOCAL = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeStyle: "long" });
const UTC = new Intl.DateTimeFormat(LANGUAGE, {
  dateStyle: "medium",
  timeStyle: "medium",
  timeZone: "UTC",
});

const UNITS = [
  { unit: "year", seconds: 31_556_952 },
  { unit: "month", seconds: 2_629_746 },
  { unit: "week", seconds: 604_800 },
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3_600 },
  { unit: "minute", seconds: 60 },
] as const;

/** Closer than this is "now", in seconds: clocks differ, and seconds that tick distract. */
const NOW_SECONDS = 45;
const NOW = t`just now`;
const DUE = t`now`;

/**
 * Says how far an instant is from another in words: "5 minutes ago", "in 3 days", "just now".
 *
 * @param atMs - The instant, in epoch milliseconds.
 * @param nowMs - What it is measured from, in epoch milliseconds.
 */
export function toRelativeTime(atMs: number, nowMs: number): string {
  const seconds = (atMs - nowMs) / 1000;
  if (Math.abs(seconds) < NOW_SECONDS) {
    return NOW;
  }
  const size = Math.max(Math.abs(seconds), 60);
  const { unit, seconds: unitSeconds } = UNITS.find((one) => size >= one.seconds) ?? UNITS[5];
  return RELATIVE.format(Math.trunc((Math.sign(seconds) * size) / unitSeconds), unit);
}

export type RelativeTimeProps = {
  /** ISO 8601. */
  at: string;
  /** Where it is only known that it was within this time from then on, such as a minute; in milliseconds. */
  withinMs?: number;
  /** Something that will happen then: once the time has come it is due "now", however late it is. */
  isToCome?: boolean;
  isFocusable?: boolean;
};

/** A time from now; the exact one, here and in UTC, on hover and focus. */
export function RelativeTime({
  at,
  withinMs = 0,
  isToCome = false,
  isFocusable = true,
}: RelativeTimeProps) {
  const nowMs = useSyncExternalStore(subscribeToClock, readClock, readClock);
  const instant = new Date(at);
  // The newest it can be: what came a moment ago must not be called a minute old.
  const end = new Date(instant.getTime() + withinMs);
  const isDue = isToCome && end.getTime() - nowMs < NOW_SECONDS * 1000;
  const isNow = withinMs > 0 && end.getTime() > nowMs;
  return (
    <Tooltip
      content={
        <>
          <span className="block">{LOCAL.formatRange(instant, end)}</span>
          <span className="block opacity-80">
            <Trans>{UTC.formatRange(instant, end)} UTC</Trans>
          </span>
        </>
      }
    >
      <time
        dateTime={at}
        tabIndex={isFocusable ? 0 : undefined}
        className="cursor-default rounded-sm whitespace-nowrap"
      >
        {isDue ? DUE : isNow ? NOW : toRelativeTime(end.getTime(), nowMs)}
      </time>
    </Tooltip>
  );
}

function subscribeToClock(onTick: () => void): () => void {
  const timer = setInterval(onTick, REFRESH_MS);
  return () => clearInterval(timer);
}

/** Steps, so that what is drawn between two looks stays the same. */
function readClock(): number {
  return Math.floor(Date.now() / REFRESH_MS) * REFRESH_MS;
}
