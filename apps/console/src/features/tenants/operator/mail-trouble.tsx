import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { inLanguage } from "#platform/server-words/server-words.ts";
import { toast } from "#platform/toast.ts";
import type { Mail } from "../tenants.queries.ts";
import { isResendable } from "./mail.view-model.ts";

const TITLES: Readonly<Record<Mail["state"], string>> = {
  queued: t`The last attempt failed; it is tried again.`,
  sent: "",
  failed: t`It was not sent.`,
  held: t`It is held, because the address refused an earlier mail for good.`,
  bounced: t`It came back.`,
};

/** Why a mail has not arrived, in plain words and in those of the server, and the way to send it again. */
export function MailTrouble({ mail }: { mail: Mail }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const resend = useMutation({
    mutationKey: ["outbox", "resend"],
    mutationFn: () => api.outbox.resend({ mailId: mail.mailId }),
    onSuccess: async () => {
      toast.success(t`The mail is sent again.`);
      await client.invalidateQueries({ queryKey: ["outbox"] });
    },
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
  const { lastError, explanation, state } = mail;
  if (state === "sent" || (lastError === null && explanation === null)) {
    return null;
  }
  return (
    <div className="space-y-2 rounded-control bg-danger-soft px-3 py-2.5">
      <p className="font-medium text-danger">{TITLES[state]}</p>
      {explanation !== null && <p>{inLanguage(explanation)}</p>}
      {lastError !== null && lastError !== "" && (
        <p className="font-mono text-xs [overflow-wrap:anywhere]">{lastError}</p>
      )}
      {isResendable(mail) && (
        <Button
          progress={resend.isPending ? t`Sending…` : undefined}
          onClick={() => resend.mutate()}
        >
          <Trans>Send again</Trans>
        </Button>
      )}
    </div>
  );
}
