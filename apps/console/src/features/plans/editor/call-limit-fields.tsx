import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { IconButton } from "@turnpike/ui/icon-button";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { useRef } from "react";
import type { PlanDraft, RateLimitDraft } from "./plan-draft.view-model.ts";
import type { FaultFinder } from "./plan-faults.view-model.ts";
import { addRow, changeRow, removeRow } from "./rows.view-model.ts";

/** As many as the API takes. */
const RATE_LIMITS_MAX = 5;

export type CallLimitFieldsProps = {
  draft: PlanDraft;
  faults: FaultFinder;
  onChange: (part: Partial<PlanDraft>) => void;
};

/** What a plan limits of single calls, in every phase: rates, calls at once, scopes. */
export function CallLimitFields({ draft, faults, onChange }: CallLimitFieldsProps) {
  return (
    <Card title={t`Calls`} description={t`In every phase.`}>
      <div className="space-y-4">
        <RateLimits
          rows={draft.rateLimits}
          faults={faults}
          onChange={(rateLimits) => onChange({ rateLimits })}
        />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            isOptional
            label={t`Calls at once`}
            help={t`Of a tenant through the gateway; further ones get 429.`}
            name="/concurrency"
            inputMode="numeric"
            autoComplete="off"
            maxLength={6}
            value={draft.concurrency}
            error={faults.at("/concurrency")}
            onChange={(event) => onChange({ concurrency: event.currentTarget.value })}
          />
          <TextArea
            isOptional
            isMono
            label={t`Scopes`}
            help={t`Of your own API, that keys of the plan may carry, one a line.`}
            placeholder="maps:read"
            name="/scopes"
            spellCheck={false}
            value={draft.scopes}
            error={faults.below("/scopes")}
            onChange={(event) => onChange({ scopes: event.currentTarget.value })}
          />
        </div>
      </div>
    </Card>
  );
}

type RateLimitsProps = {
  rows: readonly RateLimitDraft[];
  faults: FaultFinder;
  onChange: (rows: readonly RateLimitDraft[]) => void;
};

function RateLimits({ rows, faults, onChange }: RateLimitsProps) {
  const list = useRef<HTMLFieldSetElement>(null);

  function remove(rowId: number): void {
    onChange(removeRow(rows, rowId));
    // The focused button was removed with its row.
    list.current?.querySelector<HTMLElement>("[data-add]")?.focus();
  }

  return (
    <fieldset ref={list} className="min-w-0" data-pointer="/rateLimits">
      <legend className="mb-1 font-medium text-sm">
        <Trans>Rate limits</Trans>
      </legend>
      <div className="space-y-2">
        {rows.map((row, index) => {
          const at = `/rateLimits/${String(index)}`;
          const field = (name: "name" | "limit" | "windowSeconds") => ({
            name: `${at}/${name}`,
            autoComplete: "off",
            value: row[name],
            error: faults.at(`${at}/${name}`),
            onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
              onChange(changeRow(rows, row.rowId, { [name]: currentTarget.value })),
          });
          return (
            <fieldset
              key={row.rowId}
              aria-label={t`Rate limit ${String(index + 1)}`}
              className="grid min-w-0 grid-cols-[2fr_1fr_1fr_2.25rem] items-start gap-2 max-sm:grid-cols-2"
            >
              <TextField
                label={t`Name`}
                isMono
                spellCheck={false}
                maxLength={40}
                placeholder={t`per-second`}
                {...field("name")}
              />
              <TextField label={t`Calls`} inputMode="numeric" maxLength={7} {...field("limit")} />
              <TextField
                label={t`Seconds`}
                inputMode="numeric"
                maxLength={5}
                {...field("windowSeconds")}
              />
              <IconButton
                label={t`Remove rate limit ${row.name === "" ? String(index + 1) : row.name}`}
                className="mt-6"
                icon={<X aria-hidden="true" />}
                onClick={() => remove(row.rowId)}
              />
            </fieldset>
          );
        })}
        {rows.length < RATE_LIMITS_MAX && (
          <Button
            size="small"
            data-add
            onClick={() => onChange(addRow(rows, { name: "", limit: "", windowSeconds: "1" }))}
          >
            <Plus className="size-3.5" aria-hidden="true" />
            <Trans>Add rate limit</Trans>
          </Button>
        )}
      </div>
    </fieldset>
  );
}
