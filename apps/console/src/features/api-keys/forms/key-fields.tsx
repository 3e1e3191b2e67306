import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { NumberField } from "@turnpike/ui/number-field";
import { RadioList } from "@turnpike/ui/radio-list";
import { TextField } from "@turnpike/ui/text-field";
import type { Environment } from "#platform/current-environment.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { Key } from "../api-keys.queries.ts";
import { ApiScopesField } from "./api-scopes-field.tsx";
import { type DraftErrors, errorAt } from "./draft-errors.ts";
import { ExpiryField } from "./expiry-field.tsx";
import { Fold } from "./fold.tsx";
import { type KeyDraft, splitNetworks } from "./key-draft.view-model.ts";
import { CONCURRENCY_MAX } from "./key-limits.view-model.ts";
import { isManagementScope, listManagementScopes } from "./key-scopes.ts";
import { MetadataField } from "./metadata-field.tsx";
import { NetworksField } from "./networks-field.tsx";
import { QuotasField } from "./quotas-field.tsx";
import { RateLimitsField } from "./rate-limits-field.tsx";
import { ScopesField } from "./scopes-field.tsx";

export type KeyFieldsProps = {
  tenant: OwnTenant;
  draft: KeyDraft;
  /** The key being edited; left out for a new one. */
  existing?: Key;
  errors: DraftErrors;
  /** Counts the failed attempts. */
  attempts: number;
  nowMs: number;
  timeZone: string;
  onChange: (draft: KeyDraft) => void;
};

/** All the fields of a key. The environment can only be chosen for a new one. */
export function KeyFields(props: KeyFieldsProps) {
  const { tenant, draft, existing, errors, nowMs, timeZone, onChange } = props;
  const { refusesTestKeys } = usePlatform().config.gateway;
  return (
    <>
      <TextField
        label={t`Name`}
        help={t`Where it is used, such as “Production worker”.`}
        value={draft.name}
        maxLength={100}
        autoComplete="off"
        error={errorAt(errors, "/name")}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
      />
      {existing === undefined && (
        <RadioList<Environment>
          label={t`Environment`}
          isInColumns
          value={draft.environment}
          error={errorAt(errors, "/environment")}
          onValueChange={(environment) => onChange({ ...draft, environment })}
          choices={[
            { value: "live", label: t`Live`, note: t`Counts against the plan and is billed.` },
            {
              value: "test",
              label: t`Test`,
              note: refusesTestKeys
                ? t`Not set up: calls with test keys are refused.`
                : t`Metered separately, never billed.`,
            },
          ]}
        />
      )}
      <ExpiryField
        nowMs={nowMs}
        timeZone={timeZone}
        draft={draft}
        current={existing?.expiresAt ?? null}
        error={errorAt(errors, "/expiresAt")}
        onChange={(part) => onChange({ ...draft, ...part })}
      />
      <ApiScopesField
        tenantId={tenant.tenantId}
        value={draft.scopes}
        granted={existing?.scopes ?? []}
        error={errorAt(errors, "/scopes")}
        onChange={(scopes) => onChange({ ...draft, scopes })}
      />
      <KeyFolds
        tenant={tenant}
        draft={draft}
        granted={existing?.scopes ?? []}
        errors={errors}
        attempts={props.attempts}
        onChange={onChange}
      />
    </>
  );
}

type KeyFoldsProps = Pick<
  KeyFieldsProps,
  "tenant" | "draft" | "errors" | "attempts" | "onChange"
> & { granted: readonly string[] };

/** The settings that most keys do not need, one line each. */
function KeyFolds({ tenant, draft, granted, errors, attempts, onChange }: KeyFoldsProps) {
  const networks = splitNetworks(draft.networks).length;
  const limits =
    draft.rateLimits.length + draft.quotas.length + (draft.concurrency === null ? 0 : 1);
  const managed = draft.scopes.filter(isManagementScope).length;
  const has = (pointer: string) => errorAt(errors, pointer) !== undefined;
  return (
    <div className="rounded-control border border-line">
      <Fold
        title={t`Networks`}
        state={
          networks === 0
            ? t`From anywhere`
            : plural(networks, { one: "# network", other: "# networks" })
        }
        isInUse={networks > 0}
        hasError={has("/allowedNetworks")}
        attempts={attempts}
      >
        <NetworksField
          value={draft.networks}
          error={errorAt(errors, "/allowedNetworks")}
          onChange={(text) => onChange({ ...draft, networks: text })}
        />
      </Fold>
      <Fold
        title={t`Limits of this key`}
        state={
          limits === 0 ? t`Plan limits only` : plural(limits, { one: "# limit", other: "# limits" })
        }
        isInUse={limits > 0}
        hasError={has("/rateLimits") || has("/quotas") || has("/concurrency")}
        attempts={attempts}
      >
        <p className="mb-3 text-ink-muted text-xs">
          <Trans>
            In addition to the plan’s limits: a call must pass both. Rolling the key does not reset
            them.
          </Trans>
        </p>
        <div className="space-y-4">
          <RateLimitsField
            value={draft.rateLimits}
            errors={errors}
            onChange={(rateLimits) => onChange({ ...draft, rateLimits })}
          />
          <QuotasField
            value={draft.quotas}
            errors={errors}
            onChange={(quotas) => onChange({ ...draft, quotas })}
          />
          <NumberField
            label={t`Calls at once`}
            help={t`Calls through the gateway, WebSockets and streams included, until they end.`}
            isOptional
            value={draft.concurrency}
            min={1}
            max={CONCURRENCY_MAX}
            error={errorAt(errors, "/concurrency")}
            onValueChange={(concurrency) => onChange({ ...draft, concurrency })}
          />
        </div>
      </Fold>
      <Fold
        title={t`Management scopes`}
        state={managed === 0 ? t`None` : plural(managed, { one: "# scope", other: "# scopes" })}
        isInUse={managed > 0}
        hasError={has("/scopes")}
        attempts={attempts}
      >
        <ScopesField
          label={t`Management scopes`}
          help={t`None are needed to call the API. They let a program manage this tenant.`}
          choices={listManagementScopes(tenant, granted)}
          value={draft.scopes}
          onChange={(scopes) => onChange({ ...draft, scopes })}
        />
      </Fold>
      <Fold
        title={t`Metadata`}
        state={
          draft.metadata.length === 0
            ? t`None`
            : plural(draft.metadata.length, { one: "# entry", other: "# entries" })
        }
        isInUse={draft.metadata.length > 0}
        hasError={has("/metadata")}
        attempts={attempts}
      >
        <MetadataField
          value={draft.metadata}
          errors={errors}
          onChange={(metadata) => onChange({ ...draft, metadata })}
        />
      </Fold>
    </div>
  );
}
