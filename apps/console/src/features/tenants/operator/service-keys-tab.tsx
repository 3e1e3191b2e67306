import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import KeyRound from "lucide-react/icons/key-round";
import { type ReactNode, useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { operatorQueries, type ServiceKey } from "../tenants.queries.ts";
import { CreateServiceKeyDialog } from "./create-service-key-dialog.tsx";
import type { OperatorProps } from "./operator-props.ts";
import { SERVICE_KEY_COLUMNS } from "./service-key-columns.tsx";

/** The keys of the operator's own programs. */
export function ServiceKeysTab(props: OperatorProps) {
  const [isCreating, setIsCreating] = useState(false);
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-ink-muted">
          <Trans>
            A service key lets your program use the API across all tenants, within its scopes.
            Tenants call your API with keys of their own.
          </Trans>
        </p>
        <Button look="primary" onClick={() => setIsCreating(true)}>
          <Trans>Create service key</Trans>
        </Button>
      </div>
      <ServiceKeysTable {...props} />
      <CreateServiceKeyDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </div>
  );
}

function ServiceKeysTable({ search, onSearchChange }: OperatorProps) {
  const { api } = usePlatform();
  const [revoked, setRevoked] = useState<ServiceKey>();
  const [isRevoking, setIsRevoking] = useState(false);
  const keys = useQuery({
    ...operatorQueries.serviceKeys(api, search.cursor),
    placeholderData: keepPreviousData,
  });
  const trail = useCursorTrail({
    cursor: search.cursor,
    nextCursor: keys.data?.nextCursor,
    onCursorChange: (cursor) => onSearchChange({ ...(cursor === undefined ? {} : { cursor }) }),
  });
  if (keys.isError && keys.data === undefined) {
    return (
      <FailureNotice
        what={t`The service keys could not be loaded.`}
        cause={keys.error}
        onRetry={() => void keys.refetch()}
      />
    );
  }
  const toRevokeButton = (key: ServiceKey): ReactNode =>
    key.revokedAt === null && (
      <Button
        size="small"
        look="quiet"
        aria-label={t`Revoke ${key.name}`}
        onClick={() => {
          setRevoked(key);
          setIsRevoking(true);
        }}
      >
        <Trans>Revoke</Trans>
      </Button>
    );
  return (
    <>
      <DataTable
        label={t`Service keys`}
        columns={SERVICE_KEY_COLUMNS}
        rows={keys.data?.items}
        getRowId={({ serviceKeyId }) => serviceKeyId}
        getRowName={({ name }) => name}
        isStale={keys.isPlaceholderData}
        getRowActions={toRevokeButton}
        empty={<NoServiceKeys />}
        footer={
          <PageFooter
            trail={trail}
            count={keys.data?.items.length}
            noun={[t`service key`, t`service keys`]}
          />
        }
      />
      <RevokeDialog serviceKey={revoked} isOpen={isRevoking} onClose={() => setIsRevoking(false)} />
    </>
  );
}

function NoServiceKeys() {
  return (
    <EmptyState
      icon={<KeyRound />}
      title={t`No service keys yet`}
      snippet={{
        subject: t`Command: Create a service key`,
        code: 'npm run turnpike -- service-keys create --name "Backend" --scope keys:verify',
      }}
    >
      <Trans>
        Your backend needs one to verify keys, create tenants or read usage. Create it here, or from
        a terminal.
      </Trans>
    </EmptyState>
  );
}

type RevokeDialogProps = {
  serviceKey: ServiceKey | undefined;
  isOpen: boolean;
  onClose: () => void;
};

function RevokeDialog({ serviceKey, isOpen, onClose }: RevokeDialogProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const name = serviceKey?.name ?? t`the service key`;
  const revoke = useMutation({
    mutationKey: ["service-keys", "revoke"],
    mutationFn: ({ serviceKeyId }: ServiceKey) => api.serviceKeys.revoke({ serviceKeyId }),
    onSuccess: async () => {
      toast.success(t`${name} was revoked.`);
      onClose();
      await client.invalidateQueries({ queryKey: ["service-keys"] });
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={() => {
        revoke.reset();
        onClose();
      }}
      title={t`Revoke ${name}?`}
      description={t`Programs that use it are refused at once. This cannot be undone.`}
      action={t`Revoke service key`}
      nameToType={name}
      progress={revoke.isPending ? t`Revoking…` : undefined}
      error={revoke.isError ? toErrorMessage(revoke.error) : undefined}
      onConfirm={() => serviceKey !== undefined && revoke.mutate(serviceKey)}
    />
  );
}
