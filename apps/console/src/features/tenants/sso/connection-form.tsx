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
    label: "OpenID Connect",
    note: "Microsoft Entra ID, Okta, Auth0, Google Workspace, Keycloak and most others.",
  },
  { value: "saml", label: "SAML 2.0", note: "Where the provider offers nothing newer." },
] as const;

const ROLES = (["viewer", "developer", "billing", "admin"] as const).map((role) => ({
  value: role,
  label: role[0]?.toUpperCase() + role.slice(1),
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
    done: () => "Single sign-on was saved.",
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
        title={failure === undefined ? undefined : "Single sign-on was not saved."}
        errors={failure?.messages ?? []}
      />
      <RadioList
        label="Protocol"
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
        <Button type="submit" look="primary" progress={put.isPending ? "Saving…" : undefined}>
          Save
        </Button>
        {onCancel !== undefined && (
          <Button look="quiet" onClick={onCancel}>
            Cancel
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
        label="Issuer"
        help="As your provider states it. Its metadata are found from there."
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
          label="Client id"
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
          label="Client secret"
          help={hasSecret ? "Stored. Leave empty to keep it." : "Leave empty for a public client."}
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
      label="Metadata of the provider"
      help={
        isKnown
          ? "Paste the XML again when its certificate or address changes; leave empty to keep what is stored."
          : "Paste the XML (EntityDescriptor) that your provider offers for download."
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
          label="Name"
          help="For people, such as “Acme login”."
          name="name"
          value={draft.name}
          maxLength={40}
          autoComplete="off"
          error={fields.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <SelectField
          label="Role of new people"
          choices={ROLES}
          value={draft.defaultRole}
          onValueChange={(defaultRole) => change({ defaultRole })}
        />
      </div>
      <div className="flex flex-col items-start gap-3">
        <Checkbox
          label="People can sign in this way"
          isChecked={draft.enabled}
          onCheckedChange={(enabled) => change({ enabled })}
        />
        <Checkbox
          label="Required for people of the proven domains"
          help={
            isProven
              ? "Their passwords stop working, and they sign in anew. Owners may still use theirs, in case the provider fails."
              : "Prove a domain first."
          }
          isChecked={draft.required}
          isDisabled={!isProven && !draft.required}
          onCheckedChange={(required) => change({ required })}
        />
      </div>
    </div>
  );
}
