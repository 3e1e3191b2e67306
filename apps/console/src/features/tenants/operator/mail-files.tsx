import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import Download from "lucide-react/icons/download";
import { toErrorMessage } from "#platform/error-message.ts";
import { formatBytes } from "#platform/format-measure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { downloadFile } from "#platform/save-file.ts";
import { toast } from "#platform/toast.ts";
import type { Mail } from "../tenants.queries.ts";

/** The files of a mail. They are kept for as long as its text. */
export function MailFiles({ mail: { mailId, attachments } }: { mail: Mail }) {
  const { config, session } = usePlatform();
  const download = useMutation({
    mutationKey: ["outbox", "download"],
    mutationFn: ({ position, name }: Mail["attachments"][number]) =>
      downloadFile({
        getIdToken: session.getIdToken,
        url: `${config.urls.api}/v1/outbox/${mailId}/attachments/${String(position)}`,
        fileName: name,
      }),
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
  if (attachments.length === 0) {
    return null;
  }
  return (
    <section aria-labelledby="mail-files">
      <h3 id="mail-files" className="mb-2 font-semibold">
        {plural(attachments.length, { one: "File", other: "Files" })}
      </h3>
      <ul className="space-y-2">
        {attachments.map((file) => (
          <li key={file.position} className="flex flex-wrap items-center justify-between gap-3">
            <span className="[overflow-wrap:anywhere]">
              {file.name} <span className="text-ink-muted">{formatBytes(file.bytes)}</span>
            </span>
            {file.isKept ? (
              <Button
                aria-label={t`Download ${file.name}`}
                progress={
                  download.isPending && download.variables.position === file.position
                    ? t`Preparing…`
                    : undefined
                }
                onClick={() => download.mutate(file)}
              >
                <Download aria-hidden="true" className="size-4" />
                <Trans>Download</Trans>
              </Button>
            ) : (
              <span className="text-ink-muted">
                <Trans>Deleted with the text</Trans>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
