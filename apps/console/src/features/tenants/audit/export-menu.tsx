import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Menu, MenuItem } from "@turnpike/ui/menu";
import Download from "lucide-react/icons/download";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { downloadFile } from "#platform/save-file.ts";
import { toast } from "#platform/toast.ts";
import { type AuditFilter, isNarrowed, toQuestion } from "./audit-filter.view-model.ts";
import { type AuditSource, toExportPath } from "./audit-source.ts";

const FORMATS = [
  { format: "csv", label: t`CSV, for spreadsheets` },
  { format: "jsonl", label: t`JSON Lines, for programs` },
] as const;

/** Downloads the log, or what its filters leave of it. */
export function ExportMenu({ source, filter }: { source: AuditSource; filter: AuditFilter }) {
  const { config, session } = usePlatform();
  const client = useQueryClient();
  const download = useMutation({
    mutationKey: ["audit", "export"],
    mutationFn: (format: string) => {
      const query = new URLSearchParams({ ...toQuestion(filter), format });
      return downloadFile({
        getIdToken: session.getIdToken,
        url: `${config.urls.api}/v1${toExportPath(source)}?${query.toString()}`,
        fileName: `audit.${format}`,
      });
    },
    onError: (error) => void toast.error(toErrorMessage(error)),
    // The export is itself an entry.
    onSuccess: () => client.invalidateQueries({ queryKey: ["audit"] }),
  });
  return (
    <Menu
      trigger={
        <Button progress={download.isPending ? t`Preparing…` : undefined}>
          <Download aria-hidden="true" className="size-4" />
          {isNarrowed(filter) ? t`Export what is shown` : t`Export`}
        </Button>
      }
    >
      {FORMATS.map(({ format, label }) => (
        <MenuItem key={format} onSelect={() => download.mutate(format)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
