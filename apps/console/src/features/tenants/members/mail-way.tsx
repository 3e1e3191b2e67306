import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";

/** How an invitation's link arrives: by mail or, without a mail server, by the hand of who invites. */
export function MailWay() {
  const { config } = usePlatform();
  const { user } = useVerifiedUser();
  if (config.mail.delivers) {
    return (
      <Trans>
        The link in the e-mail works once, until it expires, for an account with that address.
      </Trans>
    );
  }
  return (
    <Trans>
      No mail server is configured, so the e-mail is not delivered: you get the link to pass on
      yourself
      {user.isOperator ? (
        <Trans>
          , and find it in the{" "}
          <Link to="/operator/outbox" className="font-medium text-ink underline underline-offset-4">
            outbox
          </Link>
          .
        </Trans>
      ) : (
        <>.</>
      )}
    </Trans>
  );
}
