import { t } from "@lingui/core/macro";
import { NumberField } from "@turnpike/ui/number-field";
import { RadioList } from "@turnpike/ui/radio-list";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import type { Quote } from "#platform/billing-queries.ts";
import type { ChangeDetails, ChangeRequest, When } from "./change-request.view-model.ts";

export type ChangeFieldsProps = {
  request: ChangeRequest;
  details: ChangeDetails;
  /** Of the details; undefined while it is computed. */
  quote: Quote | undefined;
  onChange: (details: Partial<ChangeDetails>) => void;
};

/** What has to be chosen or typed before a change can be quoted. Most need nothing. */
export function ChangeFields({ request, details, quote, onChange }: ChangeFieldsProps) {
  switch (request.do) {
    case "subscribe":
      return (
        <TextField
          label={t`Starts on`}
          help={t`Empty: at once. Otherwise at midnight UTC, and nothing is charged before.`}
          isOptional
          type="date"
          value={details.startsOn}
          onChange={(event) => onChange({ startsOn: event.currentTarget.value })}
        />
      );
    case "change":
      return (
        <WhenChoice
          label={t`When`}
          // Until one is chosen the engine decides, and its quote says what.
          value={details.when ?? toWhen(quote)}
          notes={{
            now: t`What was paid in advance is credited, and the new plan begins.`,
            period_end: t`Your plan stays in force until then.`,
          }}
          onValueChange={(when) => onChange({ when })}
        />
      );
    case "cancel":
      return (
        <>
          <WhenChoice
            label={t`When`}
            value={details.when ?? "period_end"}
            notes={{
              now: t`It ends at once; usage so far is invoiced.`,
              period_end: t`You keep everything until then, and can still change your mind.`,
            }}
            onValueChange={(when) => onChange({ when })}
          />
          <TextArea
            label={t`Why are you leaving?`}
            isOptional
            rows={2}
            maxLength={500}
            value={details.reason}
            onChange={(event) => onChange({ reason: event.currentTarget.value })}
          />
        </>
      );
    case "pause":
      return (
        <WhenChoice
          label={t`When`}
          value={details.when ?? "period_end"}
          notes={{
            now: t`Nothing is charged until you resume, and the limits are those of a new tenant.`,
            period_end: t`Everything works until then.`,
          }}
          onValueChange={(when) => onChange({ when })}
        />
      );
    case "seats":
      return (
        <NumberField
          label={request.name}
          help={t`${request.quantity} now.`}
          min={0}
          value={details.seats}
          onValueChange={(seats) => onChange({ seats })}
        />
      );
    case "coupon":
      return (
        <TextField
          label={t`Coupon`}
          help={t`Lower-case letters, digits and dashes, as you were given it.`}
          name="coupon"
          isMono
          maxLength={64}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={details.couponId}
          onChange={(event) => onChange({ couponId: event.currentTarget.value })}
        />
      );
    default:
      return null;
  }
}

function toWhen(quote: Quote | undefined): When {
  return quote !== undefined && quote.effectiveAt > quote.at ? "period_end" : "now";
}

type WhenChoiceProps = {
  label: string;
  value: When;
  notes: Readonly<Record<When, string>>;
  onValueChange: (when: When) => void;
};

function WhenChoice({ label, value, notes, onValueChange }: WhenChoiceProps) {
  return (
    <RadioList
      label={label}
      isInColumns
      value={value}
      choices={[
        { value: "now", label: t`Now`, note: notes.now },
        { value: "period_end", label: t`At the end of the period`, note: notes.period_end },
      ]}
      onValueChange={onValueChange}
    />
  );
}
