import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { LiveCall } from "@turnpike/contract/live-calls";
import { joinClasses } from "@turnpike/ui/join-classes";
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { formatInstant } from "#platform/format.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import { createClock, type LiveRow, toLiveRow } from "./live-row.view-model.ts";
import type { TailRow } from "./live-tail.ts";
import { toVirtualWindow } from "./virtual-rows.view-model.ts";

export type LiveRowsProps = {
  /** Newest first. */
  rows: readonly TailRow[];
  timeZone: string;
  keyNames: ReadonlyMap<string, KeyName>;
  isFiltered: boolean;
  /** What the table holds, for screen readers; "Calls as they happen" when left out. */
  caption?: string;
  /** True where calls of several days are shown. */
  hasDates?: boolean;
  /** Names the maker of a call, shown instead of its key. */
  owner?: { heading: string; nameOf(call: LiveCall): string };
  onOpen: (call: LiveCall) => void;
  /** Shown when there are no rows and no filter explains it. */
  empty: ReactNode;
};

const ROW_PX = 36;
/** On phones a call takes two lines. */
const ROW_PHONE_PX = 60;
const PHONE_MAX_PX = 640;

const COLUMNS = [
  { heading: t`Time`, className: "w-44" },
  { heading: t`Key`, className: "w-36" },
  { heading: t`Method`, className: "w-20" },
  { heading: t`Route`, className: "" },
  { heading: t`Status`, className: "w-16" },
  { heading: t`Outcome`, className: "w-36" },
  { heading: t`Latency`, className: "w-24 text-right" },
  { heading: t`Bytes`, className: "w-20 text-right" },
] as const;
/** Where calls are of an API that answers with tokens: those in place of bytes, and narrower, for the model to have room. */
const TOKEN_COLUMNS = [
  { heading: t`Time`, className: "w-44" },
  { heading: t`Key`, className: "w-28" },
  { heading: t`Method`, className: "w-16" },
  { heading: t`Route`, className: "" },
  { heading: t`Model`, className: "w-28" },
  { heading: t`Status`, className: "w-14" },
  { heading: t`Outcome`, className: "w-24" },
  { heading: t`Latency`, className: "w-20 text-right" },
  { heading: t`Tokens`, className: "w-24 text-right" },
] as const;

type Size = { widthPx: number; heightPx: number };

/**
 * A list of thousands of rows that draws only the visible ones. After scrolling down, the reader stays at the same call while
 * new ones arrive above it.
 */
export function LiveRows(props: LiveRowsProps) {
  const { rows, timeZone, keyNames, isFiltered, empty, hasDates = false, owner, onOpen } = props;
  const box = useRef<HTMLElement>(null);
  const [scrollTopPx, setScrollTopPx] = useState(0);
  const [{ widthPx, heightPx }, setSize] = useState<Size>({ widthPx: 0, heightPx: 0 });
  const clock = useMemo(() => createClock(timeZone, { hasDate: hasDates }), [timeZone, hasDates]);
  const isPhone = widthPx > 0 && widthPx < PHONE_MAX_PX;
  const rowPx = isPhone ? ROW_PHONE_PX : ROW_PX;
  const hasTokens = rows.some((row) => row.kind === "call" && row.call.model !== "");
  const columns = (hasTokens ? TOKEN_COLUMNS : COLUMNS).map((column) =>
    column === COLUMNS[1] || column === TOKEN_COLUMNS[1]
      ? { ...column, heading: owner?.heading ?? column.heading }
      : column,
  );
  const toRow = (call: LiveCall): LiveRow => {
    const row = toLiveRow(call, { clock, keyNames });
    return owner === undefined ? row : { ...row, key: owner.nameOf(call) };
  };

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) {
      return;
    }
    const observer = new ResizeObserver(() =>
      setSize({ widthPx: element.clientWidth, heightPx: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const newestSeq = rows[0]?.seq ?? 0;
  const seenSeq = useRef(newestSeq);
  useLayoutEffect(() => {
    const element = box.current;
    const added = rows.findIndex(({ seq }) => seq <= seenSeq.current);
    seenSeq.current = newestSeq;
    if (element !== null && element.scrollTop > 0 && added > 0) {
      element.scrollTop += added * rowPx;
    }
  }, [rows, newestSeq, rowPx]);

  const {
    from,
    to,
    heightPx: allPx,
  } = toVirtualWindow({
    count: rows.length,
    rowPx,
    scrollTopPx,
    viewportPx: heightPx,
  });
  return (
    <section
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
      tabIndex={0}
      aria-label={t`Newest first`}
      onScroll={(event) => setScrollTopPx(event.currentTarget.scrollTop)}
      className="focus-inset h-[60dvh] min-h-72 overflow-y-auto overscroll-contain [overflow-anchor:none]"
    >
      {rows.length === 0 ? (
        isFiltered ? (
          <p className="px-5 py-12 text-center text-ink-muted">
            <Trans>Calls that match the filters appear here as they happen.</Trans>
          </p>
        ) : (
          empty
        )
      ) : (
        <table
          aria-rowcount={rows.length + 1}
          className="w-full table-fixed border-separate border-spacing-0 text-sm tabular-nums"
        >
          <caption className="sr-only">{props.caption ?? t`Calls as they happen`}</caption>
          <thead className={isPhone ? "sr-only" : "text-ink-muted text-xs"}>
            <tr aria-rowindex={1}>
              {(isPhone ? [{ heading: t`Call`, className: "" }] : columns).map((column) => (
                <th
                  key={column.heading}
                  scope="col"
                  className={joinClasses(
                    "sticky top-0 z-10 h-8 border-line border-b bg-surface px-2 text-left font-medium",
                    column.className,
                  )}
                >
                  {column.heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Spacer heightPx={from * rowPx} />
            {rows.slice(from, to).map((row, place) => (
              <tr
                key={row.seq}
                aria-rowindex={from + place + 2}
                style={{ height: rowPx }}
                className={row.kind === "gap" ? "" : "relative hover:bg-sunken"}
              >
                {row.kind === "gap" ? (
                  <Gap {...row} span={isPhone ? 1 : columns.length} />
                ) : isPhone ? (
                  <PhoneCall row={toRow(row.call)} onOpen={() => onOpen(row.call)} />
                ) : (
                  <WideCall
                    row={toRow(row.call)}
                    hasTokens={hasTokens}
                    onOpen={() => onOpen(row.call)}
                  />
                )}
              </tr>
            ))}
            <Spacer heightPx={allPx - to * rowPx} />
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Fills the height of the rows that are not drawn. */
function Spacer({ heightPx }: { heightPx: number }) {
  return heightPx === 0 ? null : <tr style={{ height: heightPx }} />;
}

function statusClasses({ isAlarm }: LiveRow): string {
  return isAlarm ? "font-medium text-danger" : "";
}

const CELL = "truncate border-line border-b px-2";
const CODE = `${CELL} font-mono text-xs`;

type CallProps = { row: LiveRow; onOpen: () => void };

/** The time of a call. It takes presses anywhere in the row. */
function OpenCall({ row, onOpen }: CallProps) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={onOpen}
      className="focus-inset shrink-0 cursor-pointer whitespace-nowrap text-left after:absolute after:inset-0"
    >
      {row.time}
    </button>
  );
}

function WideCall({ row, hasTokens, onOpen }: CallProps & { hasTokens: boolean }) {
  return (
    <>
      <td className={joinClasses(CELL, "text-ink-muted")}>
        <OpenCall row={row} onOpen={onOpen} />
      </td>
      <td className={CELL}>{row.key}</td>
      <td className={CODE}>{row.method}</td>
      <td className={CODE} title={row.route}>
        {row.route}
      </td>
      {hasTokens && (
        <td className={CODE} title={row.model}>
          {row.model}
        </td>
      )}
      <td className={joinClasses(CELL, statusClasses(row))}>{row.status}</td>
      <td className={joinClasses(CELL, statusClasses(row))} title={row.code}>
        {row.outcome}
      </td>
      <td className={joinClasses(CELL, "text-right")}>{row.latency}</td>
      <td className={joinClasses(CELL, "text-right", !hasTokens && "text-ink-muted")}>
        {hasTokens ? row.tokens : row.bytes}
      </td>
    </>
  );
}

function PhoneCall({ row, onOpen }: CallProps) {
  return (
    <td className="border-line border-b px-3">
      <div className="flex min-w-0 gap-2">
        <span className={statusClasses(row)}>{row.status}</span>
        <span className="min-w-0 grow truncate font-mono text-xs leading-5">
          {row.method} {row.route}
        </span>
        <span className="shrink-0">{row.tokens === "" ? row.latency : row.tokens}</span>
      </div>
      <div className="flex min-w-0 gap-2 text-ink-muted text-xs">
        <OpenCall row={row} onOpen={onOpen} />
        <span className="min-w-0 grow truncate">{row.key}</span>
        <span className={joinClasses("truncate", statusClasses(row))}>{row.outcome}</span>
      </div>
    </td>
  );
}

function Gap({ fromMs, toMs, span }: { fromMs: number; toMs: number; span: number }) {
  const [from, to] = [fromMs, toMs].map((ms) => formatInstant(new Date(ms).toISOString()));
  return (
    <td
      colSpan={span}
      className="truncate border-line border-b bg-sunken px-3 text-center text-ink-muted text-xs"
    >
      <Trans>
        Not connected from {from} to {to}: calls in between are not shown.
      </Trans>
    </td>
  );
}
