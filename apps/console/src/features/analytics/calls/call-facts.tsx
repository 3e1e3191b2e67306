import { t } from "@lingui/core/macro";
import type { RecordedCall } from "@turnpike/contract/calls";
import type { LiveCall } from "@turnpike/contract/live-calls";
import { CopyButton } from "@turnpike/ui/copy-button";
import { joinClasses } from "@turnpike/ui/join-classes";
import { type ReactNode, useMemo } from "react";
import { formatCount } from "#platform/format.ts";
import { formatBytes } from "#platform/format-measure.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { createClock, toLiveRow } from "../live/live-row.view-model.ts";

export type CallFactsProps = {
  call: LiveCall | RecordedCall;
  zone: string;
  keyNames: ReadonlyMap<string, KeyName>;
  /** Where the call is found again, and by whom. */
  address: string;
  addressNote: string;
  /** More facts, before those of the call. */
  children?: ReactNode;
};

/** Everything that is kept of one call. */
export function CallFacts(props: CallFactsProps) {
  const { call, zone, keyNames, address, addressNote, children } = props;
  const clock = useMemo(() => createClock(zone, { hasDate: true }), [zone]);
  const row = toLiveRow(call, { clock, keyNames });
  const { requestId, bytesIn, bytesOut } = call;
  return (
    <>
      <dl className="grid gap-x-4 gap-y-1.5 sm:grid-cols-[7rem_minmax(0,1fr)]">
        {children}
        <Fact name={t`Request`}>
          <code className="font-mono text-xs">{requestId}</code>{" "}
          <CopyButton value={requestId} subject={t`request id`} />
        </Fact>
        <Fact name={t`Time`}>
          {row.time} <span className="text-ink-muted">{zone}</span>
        </Fact>
        <Fact name={t`Call`}>
          <code className="font-mono text-xs">{`${row.method} ${row.route}`.trim()}</code>
        </Fact>
        <Fact name={t`Status`}>
          <span className={joinClasses(row.isAlarm && "font-medium text-danger")}>
            {row.status}
          </span>
        </Fact>
        <Fact name={t`Outcome`}>
          <span className={joinClasses(row.isAlarm && "font-medium text-danger")}>
            {row.outcome}
          </span>{" "}
          <code className="font-mono text-ink-muted text-xs">{row.code}</code>
        </Fact>
        <Fact name={t`Key`}>
          {row.key !== call.keyId && `${row.key} `}
          <code className="font-mono text-ink-muted text-xs">{call.keyId}</code>
        </Fact>
        <Fact name={t`Environment`}>{call.environment}</Fact>
        {"meterId" in call && (
          <Fact name={t`Counted as`}>
            {call.units === 0
              ? t`nothing: this call is not billed`
              : t`${formatCount(call.units)} of ${call.meterId}`}
          </Fact>
        )}
        {row.model !== "" && (
          <Fact name={t`Model`}>
            <code className="font-mono text-xs">{row.model}</code>
          </Fact>
        )}
        {call.tokens !== null && (
          <Fact name={t`Tokens`}>
            <Tokens {...call.tokens} />
          </Fact>
        )}
        <Fact name={t`Latency`}>{row.latency === "" ? t`not measured` : row.latency}</Fact>
        <Fact name={t`Body sent`}>{bytesIn === null ? t`not measured` : formatBytes(bytesIn)}</Fact>
        <Fact name={t`Body received`}>
          {bytesOut === null ? t`not measured` : formatBytes(bytesOut)}
        </Fact>
      </dl>
      <p className="mt-4 flex flex-wrap items-center gap-2 text-ink-muted text-xs">
        {addressNote}
        <CopyButton value={address} subject={t`link to this call`} />
      </p>
    </>
  );
}

/** What a call used, by kind; kinds of caches only where there were any. */
function Tokens({ input, cacheRead, cacheWrite, output }: NonNullable<LiveCall["tokens"]>) {
  const parts = [
    t`${formatCount(input)} in`,
    ...(cacheRead > 0 ? [t`${formatCount(cacheRead)} in from a cache`] : []),
    ...(cacheWrite > 0 ? [t`${formatCount(cacheWrite)} in written to a cache`] : []),
    t`${formatCount(output)} out`,
  ];
  return <>{parts.join(" · ")}</>;
}

/** One fact of a call. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-muted">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere] max-sm:mb-1.5">{children}</dd>
    </>
  );
}
