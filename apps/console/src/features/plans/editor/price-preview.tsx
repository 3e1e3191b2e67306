import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card } from "@turnpike/ui/card";
import { Select } from "@turnpike/ui/select";
import { TextField } from "@turnpike/ui/text-field";
import { useState } from "react";
import { nameMeter } from "#platform/name-meter.ts";
import {
  listPricedMeters,
  type PreviewLine,
  type PreviewSource,
  previewPrice,
} from "./price-preview.view-model.ts";

/** A quantity to begin with, in which most tiers and included units show. */
const QUANTITY = "10000";

/** What the plan as it is typed would charge, by the engine that bills, computed in the browser. */
export function PricePreview({ source }: { source: PreviewSource }) {
  const { phases } = source.terms;
  const [chosen, setChosen] = useState<number>();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const phaseIndex = Math.min(chosen ?? phases.length - 1, phases.length - 1);
  const meters = listPricedMeters(source, phaseIndex);
  const quantities = Object.fromEntries(
    meters.map(({ meterId }) => [meterId, typed[meterId] ?? QUANTITY]),
  );
  const preview = previewPrice(source, { phaseIndex, quantities });
  return (
    <Card
      title={t`Price`}
      description={t`One full period of each card, without tax that comes on top.`}
    >
      <div className="space-y-4">
        {phases.length > 1 && (
          <Select
            label={t`Phase`}
            value={String(phaseIndex)}
            choices={phases.map(({ name }, index) => ({
              value: String(index),
              label: name ?? t`Phase ${String(index + 1)}`,
            }))}
            onValueChange={(value) => setChosen(Number(value))}
          />
        )}
        {meters.map(({ meterId, name, unit }) => (
          <TextField
            key={meterId}
            label={nameMeter({ meterId, name })}
            help={t`Units of the period, one is a ${unit}.`}
            inputMode="decimal"
            autoComplete="off"
            maxLength={25}
            value={quantities[meterId]}
            onChange={({ currentTarget: { value } }) => setTyped({ ...typed, [meterId]: value })}
          />
        ))}
        <div aria-live="polite" className="tabular-nums">
          {preview === undefined ? (
            <p className="text-ink-muted">
              <Trans>It is priced once there is nothing to fix.</Trans>
            </p>
          ) : (
            <>
              <Lines lines={preview.lines} />
              <p className="flex justify-between gap-4 border-line border-t pt-2 font-semibold text-base first:border-t-0 first:pt-0">
                <span>
                  <Trans>Total</Trans>
                </span>
                <span>{preview.total}</span>
              </p>
              <p className="mt-2 text-ink-muted">{preview.zeroText}</p>
            </>
          )}
        </div>
      </div>
    </Card>
  );
}

function Lines({ lines }: { lines: readonly PreviewLine[] }) {
  return (
    <ul className="mb-2 space-y-2 empty:hidden">
      {lines.map((line) => (
        <li key={line.key}>
          <p className="flex justify-between gap-4">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {line.name}
              {line.quantity !== undefined && (
                <span className="block text-ink-muted text-xs">{line.quantity}</span>
              )}
            </span>
            <span className="shrink-0">{line.amount}</span>
          </p>
          {line.tiers.length > 0 && (
            <dl className="mt-1 space-y-0.5 border-line border-l-2 pl-2 text-ink-muted text-xs">
              {line.tiers.map((tier) => (
                <div key={tier.key} className="flex flex-wrap justify-between gap-x-3">
                  <dt>{tier.range}</dt>
                  <dd>{tier.text}</dd>
                </div>
              ))}
            </dl>
          )}
        </li>
      ))}
    </ul>
  );
}
