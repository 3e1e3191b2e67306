import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import Download from "lucide-react/icons/download";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { downloadFile } from "#platform/save-file.ts";
import { toast } from "#platform/toast.ts";

/** Downloads a report as the person who is signed in. */
export function CsvButton({
  path,
  fileName,
  label,
}: {
  /** Below `/v1`, with its query. */
  path: string;
  fileName: string;
  label: string;
}) {
  const { config, session } = usePlatform();
  const download = useMutation({
    mutationKey: ["operator-reports", "download"],
    mutationFn: () =>
      downloadFile({
        getIdToken: session.getIdToken,
        url: `${config.urls.api}/v1${path}`,
        fileName,
      }),
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
  return (
    <Button
      size="small"
      progress={download.isPending ? t`Preparing…` : undefined}
      onClick={() => download.mutate()}
    >
      <Download aria-hidden="true" className="size-3.5" />
      {label}
    </Button>
  );
}
