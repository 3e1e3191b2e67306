import { Trans } from "@lingui/react/macro";
import { joinClasses } from "../join-classes.tsx";
import { toBarRows } from "./bar-list.view-model.ts";
import type { SeriesTone } from "./chart-types.ts";

export type BarListItem = {
  key: string;
  label: string;
  /** Second line or addition, such as the start of a key. */
  detail?: string;
  value: number;
  tone?: SeriesTone;
  /** True for what cannot be narrowed to, such as "unknown". */
  isPlain?: boolean;
};

export type BarListProps = {
  /** What is listed: "Top routes". */
  label: string;
  /** Heads the first column: "Route". */
  nameHeading: string;
  /** Heads the second column: "Requests". */
  valueHeading: string;
  items: readonly BarListItem[];
  /** What the shares are of: at least the sum of the items. */
  total: number;
  formatValue: (value: number) => string;
  /** Left out where the values cannot be added up, so that there are no shares. */
  formatShare?: (share: number) => string;
  /** Names are code: routes, ids, statuses. */
  isMono?: boolean;
  /** Makes each name a button that narrows the view to it. */
  onSelect?: (key: string) => void;
  /** The keys that the view is narrowed to already. */
  selectedKeys?: readonly string[];
};

/** Names with a bar, a value and a share of the whole, as given. It is a table, so it needs no twin. */
export function BarList(props: BarListProps) {
  const rows = toBarRows(props.items, props.total);
  const { formatShare } = props;
  return (
    <table className="w-full table-fixed border-separate border-spacing-y-0.5 text-sm tabular-nums [print-color-adjust:exact]">
      <caption className="sr-only">{props.label}</caption>
      <thead className="text-ink-muted text-xs">
        <tr>
          <th scope="col" className="pb-1 text-left font-medium">
            {props.nameHeading}
          </th>
          <th scope="col" className="w-20 pb-1 text-right font-medium">
            {props.valueHeading}
          </th>
          {formatShare !== undefined && (
            <th scope="col" className="w-16 pb-1 text-right font-medium">
              <Trans>Share</Trans>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ item, share, widthPercent }) => (
          <tr key={item.key}>
            <th scope="row" className="relative h-8 p-0 text-left font-normal">
              <svg
                aria-hidden="true"
                className="absolute inset-0 h-full w-full overflow-hidden rounded-[4px]"
              >
                <rect
                  width={`${widthPercent.toFixed(2)}%`}
                  height="100%"
                  rx="4"
                  className={FILLS[item.tone ?? "accent"]}
                />
              </svg>
              <Name item={item} {...props} />
            </th>
            <td className="h-8 text-right">{props.formatValue(item.value)}</td>
            {formatShare !== undefined && (
              <td className="h-8 text-right text-ink-muted">{formatShare(share)}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Text stands on these. */
const FILLS: Readonly<Record<SeriesTone, string>> = {
  accent: "fill-chart-accent-soft",
  info: "fill-chart-info/25",
  teal: "fill-chart-teal/25",
  violet: "fill-chart-violet/25",
  ok: "fill-chart-ok/25",
  warning: "fill-chart-warning/25",
  danger: "fill-chart-danger/25",
  neutral: "fill-chart-neutral/25",
};

function Name({
  item,
  isMono = false,
  onSelect,
  selectedKeys = [],
}: BarListProps & { item: BarListItem }) {
  const content = (
    <>
      <span className={joinClasses("truncate", isMono && "font-mono text-xs")}>{item.label}</span>
      {item.detail !== undefined && (
        <span className="shrink-0 font-mono text-ink-muted text-xs max-sm:hidden">
          {item.detail}
        </span>
      )}
    </>
  );
  const title = item.detail === undefined ? item.label : `${item.label} ${item.detail}`;
  const shape = "relative flex h-8 w-full min-w-0 items-center gap-2 rounded-[4px] px-2 text-left";
  if (onSelect === undefined || item.isPlain === true) {
    return (
      <span title={title} className={shape}>
        {content}
      </span>
    );
  }
  return (
    <button
      type="button"
      title={title}
      aria-pressed={selectedKeys.includes(item.key)}
      onClick={() => onSelect(item.key)}
      className={joinClasses(
        shape,
        "cursor-pointer outline-offset-[-2px] hover:bg-ink/5 aria-pressed:font-medium aria-pressed:ring-1 aria-pressed:ring-line-control aria-pressed:ring-inset",
      )}
    >
      {content}
    </button>
  );
}
