import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { joinClasses } from "@turnpike/ui/join-classes";
import ChevronRight from "lucide-react/icons/chevron-right";
import { type LineView, toLineView } from "./invoice-line.view-model.ts";

type Line = Parameters<typeof toLineView>[0];

export type InvoiceLinesProps = {
  /** What the lines are of, for screen readers: "Lines of the running invoice". */
  label: string;
  lines: readonly Line[];
  /** ISO 4217. */
  currency: string;
  /** When the invoice is issued, which tells what is in advance. Left out: not said. */
  issuedAt?: string | null;
  /** Makes usage a button that opens it to key, route and day. Left out: nothing opens. */
  onOpen?: (lineNumber: number) => void;
};

/** The lines of an invoice with their tiers, and why something is not charged. */
export function InvoiceLines({ label, lines, currency, issuedAt, onOpen }: InvoiceLinesProps) {
  return (
    <table aria-label={label} className="w-full border-collapse text-left tabular-nums">
      <thead className="border-line border-b text-ink-muted text-xs">
        <tr>
          <th scope="col" className="py-2 pr-4 font-medium">
            <Trans>Line</Trans>
          </th>
          <th scope="col" className="py-2 pr-4 text-right font-medium max-sm:hidden">
            <Trans>Quantity</Trans>
          </th>
          <th scope="col" className="py-2 text-right font-medium">
            <Trans>Amount</Trans>
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {lines.map((line) => (
          <Row
            key={line.number}
            line={toLineView(line, { currency, ...(issuedAt !== undefined && { issuedAt }) })}
            {...(onOpen !== undefined && { onOpen })}
          />
        ))}
      </tbody>
    </table>
  );
}

type RowProps = { line: LineView; onOpen?: (lineNumber: number) => void };

function Row({ line, onOpen }: RowProps) {
  const { title, span, quantity, amount, reason } = line;
  const isOpening = line.opens && onOpen !== undefined;
  return (
    <tr className="align-top">
      <td className="min-w-0 py-3 pr-4">
        <span
          className={joinClasses("block font-medium", reason !== undefined && "text-ink-muted")}
        >
          {title}
        </span>
        <span className="block text-ink-muted text-xs">
          {span}
          {quantity !== undefined && (
            <span className="sm:hidden">
              {span !== undefined && " · "}
              {quantity}
            </span>
          )}
        </span>
        {reason !== undefined && (
          <span className="mt-1 block max-w-[60ch] text-xs">
            <Trans>Not charged. {reason}</Trans>
          </span>
        )}
        {line.notes.map((note) => (
          <span key={note} className="mt-1 block text-ink-muted text-xs">
            {note}
          </span>
        ))}
        {line.tiers.length > 0 && <Tiers line={line} />}
        {isOpening && (
          <Button
            size="small"
            look="quiet"
            className="mt-1 -ml-2.5"
            aria-label={t`${title} by day, key and route`}
            onClick={() => onOpen(line.number)}
          >
            <Trans>By day, key and route</Trans>
            <ChevronRight className="size-3.5" aria-hidden="true" />
          </Button>
        )}
      </td>
      <td className="py-3 pr-4 text-right text-ink-muted whitespace-nowrap max-sm:hidden">
        {quantity ?? "–"}
      </td>
      <td className="py-3 text-right font-medium whitespace-nowrap">{amount}</td>
    </tr>
  );
}

/** What each tier that was entered holds. */
function Tiers({ line }: { line: LineView }) {
  return (
    <dl className="mt-2 max-w-md space-y-0.5 text-ink-muted text-xs">
      {line.tiers.map((tier) => (
        <div key={tier.key} className="flex flex-wrap justify-between gap-x-4">
          <dt>{tier.range}</dt>
          <dd>
            {tier.quantity} · {tier.amount}
          </dd>
        </div>
      ))}
    </dl>
  );
}
