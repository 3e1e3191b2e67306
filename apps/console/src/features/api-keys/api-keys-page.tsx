import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import { ErrorState } from "@turnpike/ui/error-state";
import SearchX from "lucide-react/icons/search-x";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { Page } from "#components/page.tsx";
import { useLatePart } from "#components/use-late-part.ts";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { RequestError } from "#platform/error-message.ts";
import { mayInTenant, nameRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Key, keysQueries } from "./api-keys.queries.ts";
import { API_KEYS_PAGE } from "./api-keys-heading.ts";
import {
  type ApiKeysSearch,
  type KeysView,
  toApiKeysSearch,
  toFirstPage,
  toKeysView,
} from "./api-keys-search.view-model.ts";
import type { BulkChange } from "./bulk/bulk-change.view-model.ts";
import { BulkReportNotice } from "./bulk/bulk-report-notice.tsx";
import { useBulkChange } from "./bulk/use-bulk-change.ts";
import { useMatchingKeys } from "./bulk/use-matching-keys.ts";
import { useChangeKey } from "./change-keys.ts";
import { toFailureReason } from "./failure-reason.ts";
import type { KeyActionKind } from "./key-actions.ts";
import { toKeyColumns } from "./key-columns.tsx";
import { KeysTable } from "./keys-table.tsx";
import { KeysToolbar } from "./keys-toolbar.tsx";

export type ApiKeysPageProps = {
  tenant: OwnTenant;
  search: ApiKeysSearch;
  /** `replace` adds no history entry. */
  onSearchChange: (search: ApiKeysSearch, how?: "replace") => void;
};

/** `/api-keys` */
export function ApiKeysPage({ tenant, search, onSearchChange }: ApiKeysPageProps) {
  const { api } = usePlatform();
  const { tenantId } = tenant;
  const view = toKeysView(search);
  const change = (next: KeysView, how?: "replace") => onSearchChange(toApiKeysSearch(next), how);
  const mayWrite = mayInTenant(tenant, "keys:write");
  const isCreating = useOpenForm(view.isCreating, mayWrite);
  const isRolling = useOpenForm(view.isRolling, mayWrite);

  const keys = useQuery({
    ...keysQueries.list(api, tenantId, view),
    placeholderData: keepPreviousData,
  });
  const ids = (keys.data?.items ?? []).map((key) => key.keyId);
  const summaries = useQuery({
    ...keysQueries.summaries(api, tenantId, ids, readOwnTimeZone()),
    placeholderData: keepPreviousData,
  });
  const people = useQuery(keysQueries.people(api, tenantId)).data ?? new Map<string, string>();
  const summaryOf = new Map(summaries.data?.items.map((one) => [one.keyId, one]));

  const [asked, setAsked] = useState<{ kind: "edit" | "roll" | "revoke"; key: Key }>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const changeOne = useChangeKey(tenantId);
  const bulk = useBulkChange(tenantId);
  const matching = useMatchingKeys({
    tenantId,
    view,
    onFound: (found) => setSelected(new Set(found.map((key) => key.keyId))),
  });

  function act(kind: KeyActionKind, key: Key): void {
    if (kind === "disable" || kind === "enable") {
      changeOne.mutate({ key, change: kind });
    } else {
      setAsked({ kind, key });
    }
  }

  async function changeMany(chosen: readonly Key[], what: BulkChange): Promise<void> {
    const failed = await bulk.start(chosen, what);
    if (failed.length === 0) {
      matching.forget();
    }
    setSelected(new Set(failed.map(({ key }) => key.keyId)));
  }

  const columns = toKeyColumns({
    people,
    summaries: summaries.data === undefined && !summaries.isError ? undefined : summaryOf,
    nowMs: Date.now(),
  });
  const layers = useLatePart(
    "key-layers",
    async () => (await import("./key-layers.ts")).KEY_LAYERS,
    isCreating || view.isImporting || view.openKeyId !== undefined || asked !== undefined,
  );
  const close = () => setAsked(undefined);
  const dialogs = layers !== undefined && asked !== undefined && (
    <>
      {asked.kind === "edit" && (
        <layers.EditKeyDialog tenant={tenant} subject={asked.key} onClose={close} />
      )}
      {asked.kind === "roll" && (
        <layers.RollKeyDialog tenantId={tenantId} subject={asked.key} onClose={close} />
      )}
      {asked.kind === "revoke" && (
        <layers.RevokeKeyDialog
          subject={asked.key}
          summary={summaryOf.get(asked.key.keyId)}
          onClose={close}
          onConfirm={() => {
            close();
            changeOne.mutate({ key: asked.key, change: "revoke" });
          }}
        />
      )}
    </>
  );

  return (
    <Page
      {...API_KEYS_PAGE}
      action={
        mayWrite && (
          <>
            <Button onClick={() => change({ ...view, isImporting: true })}>
              <Trans>Import keys</Trans>
            </Button>
            <Button look="primary" onClick={() => change({ ...view, isCreating: true })}>
              <Trans>Create key</Trans>
            </Button>
          </>
        )
      }
    >
      {!mayWrite && (
        <p className="mb-4 rounded-control border border-line bg-sunken px-3 py-2">
          {tenant.isVisited === true
            ? t`You are viewing these keys as operator: only members of the tenant create and change them. To stop all of them, suspend the tenant in All tenants.`
            : t`Your role, ${nameRole(tenant)}, can view keys. To create or change them, ask an owner or an admin of ${tenant.name}.`}
        </p>
      )}
      <KeysToolbar view={view} columns={columns} onChange={change} />
      {keys.isError && keys.data === undefined ? (
        <div className="rounded-card border border-line bg-surface">
          {isWrongCursor(keys.error) ? (
            <EmptyState
              icon={<SearchX />}
              title={t`This page does not exist`}
              action={
                <Button onClick={() => change(toFirstPage(view))}>
                  <Trans>Go to the first page</Trans>
                </Button>
              }
            >
              <Trans>
                The address points to a page of keys that does not exist. It may have been cut off.
              </Trans>
            </EmptyState>
          ) : (
            <ErrorState
              title={t`The keys could not be loaded.`}
              reason={toFailureReason(keys.error)}
              requestId={keys.error instanceof RequestError ? keys.error.requestId : undefined}
              onRetry={() => void keys.refetch()}
            />
          )}
        </div>
      ) : (
        <>
          {keys.isError && (
            <div className="mb-3">
              <FailureNotice
                what={t`The keys could not be refreshed and may be out of date.`}
                cause={keys.error}
                onRetry={() => void keys.refetch()}
              />
            </div>
          )}
          <KeysTable
            view={view}
            keys={keys}
            columns={columns}
            onChange={change}
            notice={
              bulk.report !== undefined && (
                <BulkReportNotice
                  report={bulk.report}
                  isRunning={bulk.running !== undefined}
                  onRetry={(failed, what) => void changeMany(failed, what)}
                  onClose={bulk.forget}
                />
              )
            }
            {...(mayWrite && {
              write: {
                selected,
                matching,
                onSelect: setSelected,
                running: bulk.running,
                onBulk: (chosen, what) => void changeMany(chosen, what),
                onAction: act,
              },
            })}
          />
          {summaries.isError && (
            // It comes later than the keys: above them it would move them.
            <div className="mt-3">
              <FailureNotice
                what={t`The usage of the keys could not be loaded.`}
                cause={summaries.error}
                onRetry={() => void summaries.refetch()}
              />
            </div>
          )}
        </>
      )}
      {layers !== undefined && (
        <>
          <layers.KeyPanel
            tenant={tenant}
            keyId={isRolling ? undefined : view.openKeyId}
            listed={keys.data?.items.find((key) => key.keyId === view.openKeyId)}
            people={people}
            {...(mayWrite && { onAction: act })}
            onOpenKey={(keyId) => change({ ...view, openKeyId: keyId })}
            onClose={() => change({ ...view, openKeyId: undefined })}
          >
            {dialogs}
          </layers.KeyPanel>
          {isRolling && view.openKeyId !== undefined && (
            <layers.KeyTaskDialog
              tenant={tenant}
              keyId={view.openKeyId}
              task="roll"
              onClose={() => change({ ...view, openKeyId: undefined, isRolling: false }, "replace")}
            />
          )}
          {mayWrite && (
            <layers.ImportKeysDialog
              isOpen={view.isImporting}
              tenant={tenant}
              onClose={() => change({ ...view, isImporting: false }, "replace")}
            />
          )}
          <layers.CreateKeyDialog
            isOpen={isCreating}
            tenant={tenant}
            environment={view.environment}
            onClose={() => change({ ...view, isCreating: false }, "replace")}
          />
        </>
      )}
    </Page>
  );
}

/**
 * Whether a form is open. Only someone who may submit it can open it, but it stays open if their role changes meanwhile, so
 * that typed text or a key shown once is not lost.
 */
function useOpenForm(isAsked: boolean, maySend: boolean): boolean {
  const [wasOpen, setWasOpen] = useState(false);
  const isOpen = isAsked && (maySend || wasOpen);
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen);
  }
  return isOpen;
}

/** The cursor in the address is truncated or made up, so a retry would not help. */
function isWrongCursor(error: Error): boolean {
  return (
    error instanceof RequestError && error.fieldErrors.some(({ pointer }) => pointer === "/cursor")
  );
}
