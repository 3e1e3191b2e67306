import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { Sheet } from "@turnpike/ui/sheet";
import { Skeleton } from "@turnpike/ui/skeleton";
import X from "lucide-react/icons/x";
import { formatUnits } from "#components/billing/invoice-line.view-model.ts";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { BillingPlace, InvoiceLine, LinePart } from "#platform/billing-queries.ts";
import { formatCount } from "#platform/format.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate, formatSpan } from "#platform/format-period.ts";
import { usePlatform } from "#platform/platform.tsx";
import { billingsQueries, type OpenLine } from "./billings.queries.ts";
import {
  type BillingsSearch,
  PART_KINDS,
  type PartKind,
  withoutLine,
} from "./billings-search.view-model.ts";
import { PART_LABELS, toHeading, toPartName, toPartsSum } from "./line-parts.view-model.ts";

export type LineSheetProps = {
  place: BillingPlace;
  invoiceId: OpenLine["invoiceId"];
  lines: readonly InvoiceLine[];
  /** ISO 4217. */
  currency: string;
  search: BillingsSearch;
  onSearchChange: (search: BillingsSearch) => void;
};

/** A usage line of the address, opened to days, keys, routes and models whose parts sum to it. */
export function LineSheet(props: LineSheetProps) {
  const { lines, search, onSearchChange } = props;
  const line = lines.find(({ number, hasUsage }) => number === search.line && hasUsage);
  return (
    <Sheet
      isOpen={line !== undefined}
      onClose={() => onSearchChange(withoutLine(search))}
      title={line?.description ?? ""}
      {...(line !== undefined && { description: formatSpan(line.from, line.to) })}
    >
      {line !== undefined && <Parts {...props} line={line} />}
    </Sheet>
  );
}

function Parts(props: LineSheetProps & { line: InvoiceLine }) {
  const { place, invoiceId, line, currency, search, onSearchChange } = props;
  const { api } = usePlatform();
  const { by = "day", key, day } = search;
  const parts = useInfiniteQuery(
    billingsQueries.parts(api, place, { invoiceId, line: line.number, by, key, day }),
  );
  const items = parts.data?.pages.flatMap((page) => page.items);
  const open = (narrowed: Pick<BillingsSearch, "by" | "key" | "day">) =>
    onSearchChange({ ...withoutLine(search), line: line.number, ...narrowed });
  return (
    <div className="space-y-4">
      <p className="font-semibold text-lg tabular-nums">
        {formatUnits(line.quantity ?? "0", line.unit)} · {formatMoney(line.amount, currency)}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <SegmentedControl
          label={t`Parts of the line`}
          segments={PART_KINDS.map((value) => ({ value, label: PART_LABELS[value] }))}
          value={by}
          onValueChange={(next) =>
            open({
              by: next,
              ...(key === undefined ? {} : { key }),
              ...(day === undefined ? {} : { day }),
            })
          }
        />
        {day !== undefined && (
          <Narrowing
            label={formatDate(day)}
            onRemove={() => open({ by, ...(key === undefined ? {} : { key }) })}
          />
        )}
        {key !== undefined && (
          <Narrowing
            label={items?.find(({ keyName }) => keyName !== null)?.keyName ?? key}
            onRemove={() => open({ by, ...(day === undefined ? {} : { day }) })}
          />
        )}
      </div>
      {items === undefined ? (
        parts.isError ? (
          <FailureNotice
            what={t`The parts of the line could not be loaded.`}
            cause={parts.error}
            onRetry={() => void parts.refetch()}
          />
        ) : (
          <div role="status" aria-label={t`Loading the parts of the line`}>
            <Skeleton className="h-40 w-full" />
          </div>
        )
      ) : (
        <PartsTable
          by={by}
          items={items}
          line={line}
          currency={currency}
          state={{ isNarrowed: key !== undefined || day !== undefined, hasMore: parts.hasNextPage }}
          onOpen={(part) => open(toNarrowed(part, by, { key, day }))}
        />
      )}
      {parts.hasNextPage && (
        <Button
          progress={parts.isFetchingNextPage ? t`Loading…` : undefined}
          onClick={() => void parts.fetchNextPage()}
        >
          <Trans>Show more</Trans>
        </Button>
      )}
    </div>
  );
}

/** Where a part opens to: a day to its keys, a key to its routes. */
function toNarrowed(
  part: LinePart,
  by: PartKind,
  { key, day }: { key: string | undefined; day: string | undefined },
): Pick<BillingsSearch, "by" | "key" | "day"> {
  const nextDay = by === "day" ? part.day : day;
  const nextKey = by === "key" ? part.keyId : key;
  return {
    by: by === "day" ? "key" : "route",
    ...(typeof nextDay === "string" ? { day: nextDay } : {}),
    ...(typeof nextKey === "string" ? { key: nextKey } : {}),
  };
}

function Narrowing({ label, onRemove }: { label: string; onRemove: () => void }) {
  return (
    <Button size="small" onClick={onRemove} aria-label={t`Remove filter ${label}`}>
      <span className="max-w-40 truncate">{label}</span>
      <X aria-hidden="true" className="size-3.5" />
    </Button>
  );
}

type PartsTableProps = {
  by: PartKind;
  items: readonly LinePart[];
  line: InvoiceLine;
  currency: string;
  state: { isNarrowed: boolean; hasMore: boolean };
  onOpen: (part: LinePart) => void;
};

function PartsTable({ by, items, line, currency, state, onOpen }: PartsTableProps) {
  const sum = toPartsSum(items, line, { ...state, currency });
  return (
    <table className="w-full table-fixed border-collapse text-left tabular-nums">
      <caption className="sr-only">{t`${line.description} by ${by}`}</caption>
      <thead className="border-line border-b text-ink-muted text-xs">
        <tr>
          <th scope="col" className="py-1.5 pr-3 font-medium">
            {PART_LABELS[by]}
          </th>
          <th scope="col" className="w-24 py-1.5 pr-3 text-right font-medium">
            {line.unit === null ? t`Quantity` : toHeading(line.unit)}
          </th>
          <th scope="col" className="w-24 py-1.5 text-right font-medium">
            <Trans>Amount</Trans>
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {items.map((part) => {
          const name = toPartName(part, by);
          const opens =
            (by === "day" && part.day !== null) || (by === "key" && part.keyId !== null);
          return (
            <tr
              key={`${part.day ?? ""} ${part.keyId ?? ""} ${part.route ?? ""} ${part.model ?? ""}`}
            >
              <td className="py-2 pr-3 [overflow-wrap:anywhere]">
                {opens ? (
                  <button
                    type="button"
                    className="cursor-pointer text-left underline decoration-line-control underline-offset-4 hover:decoration-ink touch:min-h-11"
                    onClick={() => onOpen(part)}
                  >
                    {name}
                  </button>
                ) : (
                  <span
                    className={by === "route" || by === "model" ? "font-mono text-xs" : undefined}
                  >
                    {name}
                  </span>
                )}
              </td>
              <td className="py-2 pr-3 text-right">{formatCount(part.quantity)}</td>
              <td className="py-2 text-right">{formatMoney(part.amount, currency)}</td>
            </tr>
          );
        })}
      </tbody>
      <tfoot className="border-line-control border-t font-medium">
        <tr>
          <td className="py-2 pr-3">{sum.label}</td>
          <td className="py-2 pr-3 text-right">{sum.quantity}</td>
          <td className="py-2 text-right">{sum.amount}</td>
        </tr>
      </tfoot>
    </table>
  );
}
