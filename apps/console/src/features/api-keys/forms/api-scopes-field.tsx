import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { keysQueries, type TenantId } from "../api-keys.queries.ts";
import { listApiScopes } from "./key-scopes.ts";
import { ScopesField } from "./scopes-field.tsx";

export type ApiScopesFieldProps = {
  tenantId: TenantId;
  value: readonly string[];
  /** Scopes that the key already has. */
  granted: readonly string[];
  error?: string | undefined;
  onChange: (scopes: readonly string[]) => void;
};

/** The scopes of the operator's own API that the plan allows. Renders nothing when there is nothing to choose. */
export function ApiScopesField({ tenantId, granted, ...field }: ApiScopesFieldProps) {
  const { api } = usePlatform();
  const scopes = useQuery(keysQueries.scopes(api, tenantId));
  if (scopes.isError) {
    return (
      <FailureNotice
        what={t`The scopes of your plan could not be loaded.`}
        cause={scopes.error}
        onRetry={() => void scopes.refetch()}
      />
    );
  }
  const choices = listApiScopes(scopes.data?.custom ?? [], granted);
  return choices.length === 0 || scopes.data === undefined ? null : (
    <div>
      <p className="mb-0.5 font-medium">
        <Trans>API scopes</Trans>
      </p>
      <ScopesField
        {...field}
        label={t`API scopes`}
        help={t`What calls with this key may do, within what your plan allows.`}
        choices={choices}
      />
    </div>
  );
}
