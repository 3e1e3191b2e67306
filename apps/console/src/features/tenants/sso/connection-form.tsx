import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { Checkbox } from "@turnpike/ui/checkbox";
import { FormErrors } from "@turnpike/ui/form-errors";
import { RadioList } from "@turnpike/ui/radio-list";
import { SelectField } from "@turnpike/ui/select";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { type FormFailure, toFormFailure } from "#platform/form-failure.ts";
import { ROLE_NAMES } from "#platform/may-in-tenant.ts";
import { ROLE_NOTES } from "../standing.view-model.ts";
import {
  CONNECTION_POINTERS,
  type ConnectionDraft,
  toConnectionInput,
  toDraft,
} from "./connection-form.view-model.ts";
import { ServiceAddresses } from "./service-addresses.tsx";
import type { Sso, SsoConnectionInput } from "./sso.queries.ts";
import { useSsoChange } from "./use-sso-change.ts";

export type ConnectionFormProps = {
  tenant: OwnTenant;
  sso: Sso;
  onDone: () => void;
  /** Left out: there is nothing to go back to. */
  onCancel?: () => void;
};

const PROTOCOLS = [
  {
    value: "oidc",
    label: t`OpenID Connect`,
    note: t`Microsoft Entra ID, Okta, Auth0, Google Workspace, Keycloak and most others.`,
  },
  { value: "saml", label: "SAML 2.0", note: t`Where the provider offers nothing newer.` },
] as const;

const ROLES = (["viewer", "developer", "billing", "admin"] as const).map((role) => ({
  value: role,
  label: ROLE_NAMES[role],
  note: ROLE_NOTES[role],
}));

type FieldsProps = {
  draft: ConnectionDraft;
  fields: FormFailure<keyof typeof CONNECTION_POINTERS>["fields"];
  change: (part: Partial<ConnectionDraft>) => void;
};

/** Sets up or changes the identity provider. Its metadata are read before anything is stored. */
export function ConnectionForm({ tenant, sso, onDone, onCancel }: ConnectionFormProps) {
  const [draft, setDraft] = useState(() => toDraft(sso.connection));
  const put = useSsoChange<SsoConnectionInput>(tenant, {
    run: (api, connection) => api.put({ tenantId: tenant.tenantId, connection }),
    done: () => t`Single sign-on was saved.`,
  });
  const failure = toFormFailure(put.error, CONNECTION_POINTERS);
  const isProven = sso.domains.some(({ verifiedAt }) => verifiedAt !== null);
  const change = (part: Partial<ConnectionDraft>) => setDraft((before) => ({ ...before, ...part }));

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    put.mutate(toConnectionInput(draft), { onSuccess: onDone });
  }

  const props = { draft, fields: failure?.fields ?? {}, change };
  return (
    <form onSubmit={submit} noValidate className="space-y-5">
      <FormErrors
        title={failure === undefined ? undefined : t`Single sign-on was not saved.`}
        errors={failure?.messages ?? []}
      />
      <RadioList
        label={t`Protocol`}
        choices={PROTOCOLS}
        value={draft.protocol}
        isInColumns
        onValueChange={(protocol) => change({ protocol })}
      />
      <ServiceAddresses service={sso.service} protocol={draft.protocol} />
      {draft.protocol === "oidc" ? (
        <OidcFields {...props} hasSecret={hasSecret(sso)} />
      ) : (
        <SamlFields {...props} isKnown={sso.connection?.protocol === "saml"} />
      )}
      <CommonFields {...props} isProven={isProven} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" progress={put.isPending ? t`Saving…` : undefined}>
          <Trans>Save</Trans>
        </Button>
        {onCancel !== undefined && (
          <Button look="quiet" onClick={onCancel}>
            <Trans>Cancel</Trans>
          </Button>
        )}
      </div>
    </form>
  );
}

function hasSecret({ connection }: Sso): boolean {
  return connection?.protocol === "oidc" && connection.hasClientSecret;
}

function OidcFields({ draft, fields, change, hasSecret }: FieldsProps & { hasSecret: boolean }) {
  return (
    <div className="space-y-4">
      <TextField
        label={t`Issuer`}
        help={t`As your provider states it. Its metadata are found from there.`}
        name="issuer"
        type="url"
        isMono
        placeholder="https://login.example.com"
        value={draft.issuer}
        maxLength={1_000}
        autoComplete="off"
        spellCheck={false}
        error={fields.issuer}
        onChange={(event) => change({ issuer: event.currentTarget.value })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t`Client id`}
          name="clientId"
          isMono
          value={draft.clientId}
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          error={fields.clientId}
          onChange={(event) => change({ clientId: event.currentTarget.value })}
        />
        <TextField
          label={t`Client secret`}
          help={
            hasSecret ? t`Stored. Leave empty to keep it.` : t`Leave empty for a public client.`
          }
          name="clientSecret"
          type="password"
          isMono
          isOptional
          value={draft.clientSecret}
          maxLength={1_000}
          autoComplete="off"
          error={fields.clientSecret}
          onChange={(event) => change({ clientSecret: event.currentTarget.value })}
        />
      </div>
    </div>
  );
}

function SamlFields({ draft, fields, change, isKnown }: FieldsProps & { isKnown: boolean }) {
  return (
    <TextArea
      label={t`Metadata of the provider`}
      help={
        isKnown
          ? t`Paste the XML again when its certificate or address changes; leave empty to keep what is stored.`
          : t`Paste the XML (EntityDescriptor) that your provider offers for download.`
      }
      name="metadata"
      isMono
      rows={6}
      isOptional={isKnown}
      value={draft.metadata}
      maxLength={200_000}
      autoComplete="off"
      spellCheck={false}
      error={fields.metadata}
      onChange={(event) => change({ metadata: event.currentTarget.value })}
    />
  );
}

function CommonFields({ draft, fields, change, isProven }: FieldsProps & { isProven: boolean }) {
  return (
    <div className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t`Name`}
          help={t`For people, such as “Acme login”.`}
          name="name"
          value={draft.name}
          maxLength={40}
          autoComplete="off"
          error={fields.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <SelectField
          label={t`Role of new people`}
          choices={ROLES}
          value={draft.defaultRole}
          onValueChange={(defaultRole) => change({ defaultRole })}
        />
      </div>
      <div className="flex flex-col items-start gap-3">
        <Checkbox
          label={t`People can sign in this way`}
          isChecked={draft.enabled}
          onCheckedChange={(enabled) => change({ enabled })}
        />
        <Checkbox
          label={t`Required for people of the proven domains`}
          help={
            isProven
              ? t`Their passwords stop working, and they sign in anew. Owners may still use theirs, in case the provider fails.`
              : t`Prove a domain first.`
          }
          isChecked={draft.required}
          isDisabled={!isProven && !draft.required}
          onCheckedChange={(required) => change({ required })}
        />
      </div>
    </div>
  );
}
