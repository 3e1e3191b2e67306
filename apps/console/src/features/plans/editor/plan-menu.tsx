import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toButtonClasses } from "@turnpike/ui/button";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Menu, MenuItem, MenuSeparator } from "@turnpike/ui/menu";
import Archive from "lucide-react/icons/archive";
import ArchiveRestore from "lucide-react/icons/archive-restore";
import EllipsisVertical from "lucide-react/icons/ellipsis-vertical";
import History from "lucide-react/icons/history";
import Pencil from "lucide-react/icons/pencil";
import { useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import type { CatalogueRow } from "./catalogue-rows.view-model.ts";
import { refreshCatalogue } from "./editor.queries.ts";

export type PlanMenuProps = {
  row: CatalogueRow;
  onOpen: (planId: string, isDraft?: boolean) => void;
};

/** What can be done with a plan: draft a change, look at its versions, archive and restore it. */
export function PlanMenu({ row, onOpen }: PlanMenuProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const archive = useMutation({
    mutationKey: ["plan-editor", "archive", row.planId],
    mutationFn: (isArchived: boolean) =>
      isArchived
        ? api.catalog.archivePlan({ planId: row.planId })
        : api.catalog.restorePlan({ planId: row.planId }),
    onSuccess: async (plan) => {
      toast.success(
        plan.archivedAt === null
          ? t`${plan.name} is offered again.`
          : t`${plan.name} is archived. Its subscribers keep it.`,
      );
      setIsAsking(false);
      await refreshCatalogue(client);
    },
    onError: (cause, isArchived) => {
      // Archiving says it in its dialog.
      if (!isArchived) {
        toast.error(toErrorMessage(cause));
      }
    },
  });
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={t`Actions for ${row.name}`}
            className={toButtonClasses("quiet", "icon")}
          >
            <EllipsisVertical aria-hidden="true" />
          </button>
        }
      >
        <MenuItem icon={<Pencil aria-hidden="true" />} onSelect={() => onOpen(row.planId, true)}>
          {row.hasDraft ? t`Edit draft` : t`Draft a change`}
        </MenuItem>
        {row.version !== undefined && (
          <MenuItem icon={<History aria-hidden="true" />} onSelect={() => onOpen(row.planId)}>
            <Trans>Show versions</Trans>
          </MenuItem>
        )}
        {row.version !== undefined && <MenuSeparator />}
        {row.version !== undefined &&
          (row.isArchived ? (
            <MenuItem
              icon={<ArchiveRestore aria-hidden="true" />}
              onSelect={() => archive.mutate(false)}
            >
              <Trans>Restore</Trans>
            </MenuItem>
          ) : (
            <MenuItem
              icon={<Archive aria-hidden="true" />}
              isDisabled={row.isDefault}
              {...(row.isDefault && { aside: t`default plan` })}
              onSelect={() => setIsAsking(true)}
            >
              <Trans>Archive…</Trans>
            </MenuItem>
          ))}
      </Menu>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => {
          archive.reset();
          setIsAsking(false);
        }}
        title={t`Archive ${row.name}?`}
        description={t`It is offered to no one any more. Its subscribers keep it, and you can restore it at any time.`}
        action={t`Archive plan`}
        isDangerous={false}
        progress={archive.isPending ? t`Archiving…` : undefined}
        error={archive.isError ? toErrorMessage(archive.error) : undefined}
        onConfirm={() => archive.mutate(true)}
      />
    </>
  );
}
