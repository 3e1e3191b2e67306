import { t } from "@lingui/core/macro";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { Skeleton } from "@turnpike/ui/skeleton";
import { FailureNotice } from "#components/failure-notice.tsx";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type KeyId, keysQueries } from "./api-keys.queries.ts";
import { useChangeKey } from "./change-keys.ts";
import { EditKeyDialog } from "./forms/edit-key-dialog.tsx";
import { RollKeyDialog } from "./forms/roll-key-dialog.tsx";
import { RevokeKeyDialog } from "./revoke-key-dialog.tsx";

export type KeyTaskDialogProps = {
  tenant: OwnTenant;
  keyId: string;
  task: "edit" | "roll" | "revoke";
  onClose: () => void;
  /** After the key has changed. */
  onDone?: () => void;
};

/** Changes, rolls or revokes one key that no list is open for. */
export function KeyTaskDialog({ tenant, keyId, task, onClose, onDone }: KeyTaskDialogProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { tenantId } = tenant;
  const id = keyId as KeyId;
  const key = useQuery(keysQueries.one(api, tenantId, id));
  const summaries = useQuery(keysQueries.summaries(api, tenantId, [id], readOwnTimeZone()));
  const change = useChangeKey(tenantId);
  const subject = key.data;
  if (subject === undefined) {
    return (
      <Dialog isOpen onClose={onClose} title={t`API key`}>
        {key.isError ? (
          <FailureNotice
            what={t`The key could not be loaded.`}
            cause={key.error}
            onRetry={() => void key.refetch()}
          />
        ) : (
          <Skeleton className="h-40 w-full opacity-50" />
        )}
      </Dialog>
    );
  }
  if (task === "roll") {
    return <RollKeyDialog tenantId={tenantId} subject={subject} onClose={onClose} />;
  }
  return task === "edit" ? (
    <EditKeyDialog
      tenant={tenant}
      subject={subject}
      onClose={() => {
        onClose();
        if (client.getQueryData(keysQueries.one(api, tenantId, id).queryKey) !== subject) {
          onDone?.();
        }
      }}
    />
  ) : (
    <RevokeKeyDialog
      subject={subject}
      summary={summaries.data?.items[0]}
      onClose={onClose}
      onConfirm={() => {
        onClose();
        change.mutateAsync({ key: subject, change: "revoke" }).then(
          () => onDone?.(),
          () => undefined,
        );
      }}
    />
  );
}
