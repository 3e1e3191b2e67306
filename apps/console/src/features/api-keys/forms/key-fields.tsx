import type { Role } from "@turnpike/domain/access/scopes";
import { RadioList } from "@turnpike/ui/radio-list";
import { TextField } from "@turnpike/ui/text-field";
import type { Environment } from "#platform/current-environment.ts";
import type { Key } from "../api-keys.queries.ts";
import { ExpiryField } from "./expiry-field.tsx";
import type { DraftField, KeyDraft } from "./key-draft.view-model.ts";
import { MetadataField } from "./metadata-field.tsx";
import { ScopesField } from "./scopes-field.tsx";

export type KeyFieldsProps = {
  draft: KeyDraft;
  /** The key that is edited; left out for a new one. */
  existing?: Key;
  role: Role;
  errors: Readonly<Partial<Record<DraftField, string>>>;
  nowMs: number;
  timeZone: string;
  onChange: (draft: KeyDraft) => void;
};

/** All that can be said about a key. Its environment is said once, when it is made. */
export function KeyFields({ draft, existing, role, errors, onChange, ...clock }: KeyFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        help="Where it is used, such as “Production worker”."
        value={draft.name}
        maxLength={100}
        autoComplete="off"
        error={errors.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
      />
      {existing === undefined && (
        <RadioList<Environment>
          label="Environment"
          isInColumns
          value={draft.environment}
          error={errors.environment}
          onValueChange={(environment) => onChange({ ...draft, environment })}
          choices={[
            { value: "live", label: "Live", note: "Counts against the plan and is billed." },
            { value: "test", label: "Test", note: "Metered apart, never billed." },
          ]}
        />
      )}
      <ExpiryField
        {...clock}
        draft={draft}
        current={existing?.expiresAt ?? null}
        error={errors.expiresAt}
        onChange={(part) => onChange({ ...draft, ...part })}
      />
      <ScopesField
        role={role}
        value={draft.scopes}
        granted={existing?.scopes ?? []}
        error={errors.scopes}
        onChange={(scopes) => onChange({ ...draft, scopes })}
      />
      <MetadataField
        value={draft.metadata}
        error={errors.metadata}
        onChange={(metadata) => onChange({ ...draft, metadata })}
      />
    </>
  );
}
