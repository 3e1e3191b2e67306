import { useQuery } from "@tanstack/react-query";
import { FailureNotice } from "#components/failure-notice.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { keysQueries, type TenantId } from "../api-keys.queries.ts";
import { listApiScopes } from "./key-scopes.ts";
import { ScopesField } from "./scopes-field.tsx";

export type ApiScopesFieldProps = {
  tenantId: TenantId;
  value: readonly string[];
  /** What the key has already. */
  granted: readonly string[];
  error?: string | undefined;
  onChange: (scopes: readonly string[]) => void;
};

/** What the key may do in the operator's own API, as the plan allows. Nothing where there is nothing to choose. */
export function ApiScopesField({ tenantId, granted, ...field }: ApiScopesFieldProps) {
  const { api } = usePlatform();
  const scopes = useQuery(keysQueries.scopes(api, tenantId));
  if (scopes.isError) {
    return (
      <FailureNotice
        what="The scopes of your plan could not be loaded."
        cause={scopes.error}
        onRetry={() => void scopes.refetch()}
      />
    );
  }
  const choices = listApiScopes(scopes.data?.custom ?? [], granted);
  return choices.length === 0 || scopes.data === undefined ? null : (
    <div>
      <p className="mb-0.5 font-medium">API scopes</p>
      <ScopesField
        {...field}
        label="API scopes"
        help="What calls with this key may do, within what your plan allows."
        choices={choices}
      />
    </div>
  );
}
