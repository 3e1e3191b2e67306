import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { joinClasses } from "@turnpike/ui/join-classes";
import { MeterBar } from "@turnpike/ui/meter-bar";
import type { LabelledRequest } from "#components/billing/change/subscription-actions.view-model.ts";
import type { QuotaFit } from "../plans.view-model.ts";
import type { Offer, OfferPhase, OfferTerm } from "./offer.view-model.ts";
import type { TierTable } from "./tier-table.view-model.ts";

export type OfferCardProps = {
  offer: Offer;
  /** "Current plan", "Plan of Acme"; undefined for another plan. */
  mark: string | undefined;
  /** That the tenant keeps an earlier version, or when this plan begins. */
  note: string | undefined;
  /** What usage adds to the price, empty for nothing. Undefined while the engine loads; null for what has no usage. */
  idleText: string | null | undefined;
  /** How this period's usage fits; empty where nothing is compared. */
  fits: readonly QuotaFit[];
  /** What can be done with it; undefined for nothing. */
  action: LabelledRequest | undefined;
  onAction: (action: LabelledRequest) => void;
};

/** A plan with everything that it charges and allows. */
export function OfferCard(props: OfferCardProps) {
  const { offer, mark, note, idleText, fits, action, onAction } = props;
  return (
    <li
      className={joinClasses(
        "flex flex-col overflow-hidden rounded-card border bg-surface",
        mark === undefined ? "border-line" : "border-line-control",
      )}
    >
      <div className={joinClasses("h-1", mark !== undefined && "bg-accent")} aria-hidden="true" />
      <div className="flex grow flex-col p-5 pt-4">
        <div className="flex items-start justify-between gap-3">
          <h2 className="font-semibold text-base">{offer.name}</h2>
          {mark !== undefined && (
            <Badge tone="accent">
              <span className="max-w-40 truncate">{mark}</span>
            </Badge>
          )}
        </div>
        <p className="mt-2 flex flex-wrap items-baseline gap-x-1.5">
          <span className="font-semibold text-2xl tabular-nums tracking-tight">{offer.price}</span>
          <span className="text-ink-muted">{offer.per}</span>
        </p>
        {idleText !== null && (
          // Keeps its height while the engine loads, and beside cards that say something here.
          <p className="min-h-4.5 text-ink-muted text-xs tabular-nums">{idleText}</p>
        )}
        {offer.description !== "" && <p className="mt-2 text-ink-muted">{offer.description}</p>}
        {action !== undefined && (
          <Button
            look={action.request.do === "subscribe" && mark === undefined ? "primary" : "secondary"}
            className="mt-4 w-full"
            onClick={() => onAction(action)}
          >
            <span className="truncate">{action.label}</span>
          </Button>
        )}
        <div className="mt-4 space-y-4 border-line border-t pt-4">
          {offer.phases.map((phase) => (
            <Phase key={phase.key} phase={phase} />
          ))}
          {offer.payment !== undefined && <p className="font-medium">{offer.payment}</p>}
          {offer.limits.length > 0 && (
            <ul className="space-y-2 tabular-nums">
              {offer.limits.map((limit) => (
                <li key={limit} className="[overflow-wrap:anywhere]">
                  {limit}
                </li>
              ))}
            </ul>
          )}
        </div>
        {note !== undefined && <p className="mt-3 text-ink-muted text-xs">{note}</p>}
        <div className="mt-auto space-y-4 pt-5 empty:hidden">
          {fits.map((fit) => (
            <FitLine key={fit.key} fit={fit} />
          ))}
        </div>
      </div>
    </li>
  );
}

function Phase({ phase }: { phase: OfferPhase }) {
  return (
    <section>
      {phase.title !== undefined && <h3 className="mb-1.5 font-medium">{phase.title}</h3>}
      {phase.terms.length === 0 ? (
        <p className="text-ink-muted">
          <Trans>Costs nothing.</Trans>
        </p>
      ) : (
        <ul className="space-y-2 tabular-nums">
          {phase.terms.map((term) => (
            <Term key={term.key} term={term} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Term({ term }: { term: OfferTerm }) {
  return (
    <li>
      {term.text}
      {term.details.map((detail) => (
        <span key={detail} className="block text-ink-muted text-xs">
          {detail}
        </span>
      ))}
      {term.tiers !== undefined && <Tiers table={term.tiers} label={term.text} />}
    </li>
  );
}

function Tiers({ table, label }: { table: TierTable; label: string }) {
  const hasFees = table.rows.some(({ fee }) => fee !== undefined);
  return (
    <table className="mt-1.5 w-full border-collapse text-left text-xs">
      <caption className="sr-only">{label}</caption>
      <thead className="border-line border-b text-ink-muted">
        <tr>
          <th scope="col" className="py-1 pr-2 font-medium">
            {table.heading}
          </th>
          <th scope="col" className="py-1 text-right font-medium">
            <Trans>Each</Trans>
          </th>
          {hasFees && (
            <th scope="col" className="py-1 pl-2 text-right font-medium">
              <Trans>Fee</Trans>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row) => (
          <tr key={row.key} className="border-line border-b last:border-b-0">
            <td className="py-1 pr-2">{row.range}</td>
            <td className="py-1 text-right">{row.each}</td>
            {hasFees && <td className="py-1 pl-2 text-right">{row.fee}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FitLine({ fit }: { fit: QuotaFit }) {
  return (
    <div className="space-y-1.5">
      <p className="text-ink-muted text-xs tabular-nums">{fit.text}</p>
      <MeterBar share={fit.share} tone={fit.tone} label={fit.text} />
    </div>
  );
}
