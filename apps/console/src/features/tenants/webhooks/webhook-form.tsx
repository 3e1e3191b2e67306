import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ALL_EVENTS } from "@turnpike/domain/webhooks/event-types";
import { Checkbox } from "@turnpike/ui/checkbox";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextField } from "@turnpike/ui/text-field";
import { useStake, useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { TenantId } from "../tenants.queries.ts";
import { EVENT_GROUPS } from "./webhook.view-model.ts";
import type { Webhook } from "./webhooks.queries.ts";

export type WebhookFormProps = {
  tenantId: TenantId;
  /** The endpoint being edited; undefined for a new one. */
  webhook: Webhook | undefined;
  /** @param secret - Of a new endpoint. */
  onDone: (secret: string | undefined) => void;
  onCancel: () => void;
};

/** The address of an endpoint and the events that it receives. */
export function WebhookForm({ tenantId, webhook, onDone, onCancel }: WebhookFormProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [eventTypes, setEventTypes] = useState<readonly string[]>(
    webhook?.eventTypes ?? [ALL_EVENTS],
  );
  const input = { tenantId, url: url.trim(), description, eventTypes: [...eventTypes] };
  useUnsaved(url !== (webhook?.url ?? "") || description !== (webhook?.description ?? ""));
  const save = useMutation({
    mutationKey: ["webhooks", "save"],
    mutationFn: async () => {
      if (webhook === undefined) {
        return (await api.webhooks.create(input)).secret;
      }
      await api.webhooks.update({ ...input, webhookId: webhook.webhookId });
      return;
    },
    onSuccess: async (secret) => {
      onDone(secret);
      await client.invalidateQueries({ queryKey: ["webhooks", tenantId] });
    },
  });
  // The response to a new endpoint contains its secret, which is shown nowhere else.
  useStake("secret", save.isPending && webhook === undefined);
  const submitOnce = useSubmitOnce(save.mutateAsync, "failed");
  const failure = toFormFailure(save.error, {
    url: "/url",
    description: "/description",
    eventTypes: "/eventTypes",
  });

  return (
    <DialogForm
      onSubmit={() => submitOnce()}
      onCancel={onCancel}
      action={webhook === undefined ? t`Add webhook` : t`Save changes`}
      progress={save.isPending ? t`Saving…` : undefined}
      failure={t`The webhook was not saved.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`Address`}
        help={t`Where your program receives messages: a public https address.`}
        name="url"
        type="url"
        isMono
        value={url}
        placeholder="https://example.com/webhooks"
        autoComplete="off"
        error={failure?.fields.url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <TextField
        label={t`Description`}
        isOptional
        name="description"
        value={description}
        maxLength={200}
        autoComplete="off"
        error={failure?.fields.description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <EventChoice
        eventTypes={eventTypes}
        error={failure?.fields.eventTypes}
        onChange={setEventTypes}
      />
    </DialogForm>
  );
}

type EventChoiceProps = {
  eventTypes: readonly string[];
  error: string | undefined;
  onChange: (eventTypes: readonly string[]) => void;
};

function EventChoice({ eventTypes, error, onChange }: EventChoiceProps) {
  const isAll = eventTypes.includes(ALL_EVENTS);
  const toggle = (type: string) =>
    onChange(
      eventTypes.includes(type)
        ? eventTypes.filter((other) => other !== type)
        : [...eventTypes, type],
    );
  return (
    <fieldset className="min-w-0 space-y-3">
      <legend className="mb-2 font-medium text-sm">
        <Trans>Events</Trans>
      </legend>
      <Checkbox
        label={t`Every event, including future ones`}
        isChecked={isAll}
        onCheckedChange={(all) => onChange(all ? [ALL_EVENTS] : [])}
      />
      {!isAll && (
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
          {EVENT_GROUPS.map(({ noun, types }) => (
            <div key={noun} className="min-w-0">
              <p className="text-ink-muted text-xs">{noun}</p>
              {types.map((type) => (
                <Checkbox
                  key={type}
                  label={<code className="font-mono text-xs">{type}</code>}
                  isChecked={eventTypes.includes(type)}
                  onCheckedChange={() => toggle(type)}
                />
              ))}
            </div>
          ))}
        </div>
      )}
      <p role="alert" className="text-danger text-xs empty:hidden">
        {error}
      </p>
    </fieldset>
  );
}
