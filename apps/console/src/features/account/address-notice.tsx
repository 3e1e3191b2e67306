import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { OwnAccount } from "./account.queries.ts";

/** Says that the address is not confirmed, and sends the link again where mail leaves the installation. */
export function AddressNotice({ account }: { account: OwnAccount }) {
  const { api, config } = usePlatform();
  const send = useMutation({
    mutationKey: ["account", "send-confirmation"],
    mutationFn: () => api.account.sendConfirmation({}),
  });
  const sendOnce = useSubmitOnce(send.mutateAsync, "settled");
  if (account.emailVerified || account.email === null || account.kind !== "builtin") {
    return null;
  }
  return (
    <section
      aria-label={t`Unconfirmed address`}
      className="rounded-control border border-transparent bg-warning-soft px-3 py-2.5"
    >
      <p className="font-medium text-warning">
        <Trans>Your e-mail address is not confirmed.</Trans>
      </p>
      <p className="mt-0.5 [overflow-wrap:anywhere]">
        {config.mail.delivers
          ? t`Follow the link in the mail to ${account.email}. Invitations and rights that depend on your address wait for that.`
          : t`This installation sends no mail, so nothing can confirm it. Invitations and rights that depend on your address wait for that.`}
      </p>
      {config.mail.delivers && (
        <div className="mt-2">
          <Button
            size="small"
            progress={send.isPending ? t`Sending…` : undefined}
            onClick={() => sendOnce()}
          >
            <Trans>Send the link again</Trans>
          </Button>
        </div>
      )}
      <p role="status" className="mt-1 empty:hidden">
        {send.isSuccess ? t`The link is on its way to ${account.email}.` : undefined}
      </p>
      <p role="alert" className="mt-1 text-danger empty:hidden">
        {send.isError ? toErrorMessage(send.error) : undefined}
      </p>
    </section>
  );
}
