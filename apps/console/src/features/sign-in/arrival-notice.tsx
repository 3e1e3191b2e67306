import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { toErrorMessage } from "#platform/error-message.ts";
import { nameRoleByText } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { Notice } from "./notice.tsx";
import { signInQueries } from "./sign-in.queries.ts";
import { useArrivalOnceShown, useInvitation } from "./use-invitation.ts";

/** The height of a title and three lines, four on a phone: the form below stays where it is when the answer comes. */
const ROOM = "min-h-32 sm:min-h-27 [&>*]:min-h-[inherit]";

/** Explains what signing in leads to when a link brought the person here. */
export function ArrivalNotice() {
  const setup = useArrivalOnceShown("setup");
  const invitation = useInvitation();
  if (setup === undefined && !invitation.isBrought) {
    // As high as the notice that may come: `before-start.js` knows whether a link brought something.
    return <div className={`hidden in-data-arrival:block ${ROOM}`} />;
  }
  return (
    <>
      {setup !== undefined && (
        <div className={ROOM}>
          <SetupNotice code={setup} />
        </div>
      )}
      {invitation.isBrought && (
        <div className={ROOM}>
          <InvitationNotice {...invitation} />
        </div>
      )}
    </>
  );
}

/** Promises nothing until the server confirms that the code works. */
function SetupNotice({ code }: { code: string }) {
  const { api } = usePlatform();
  const check = useQuery({ ...signInQueries.setupCheck(api, code), retry: false });
  if (check.isError) {
    return (
      <Notice tone="danger" title={t`The setup link could not be checked`}>
        <Trans>
          {toErrorMessage(check.error)} You can still sign in; the link is used once you are signed
          in.
        </Trans>
      </Notice>
    );
  }
  if (check.data === undefined) {
    return (
      <Notice tone="call">
        <Trans>Checking your setup link…</Trans>
      </Notice>
    );
  }
  if (!check.data.valid) {
    return (
      <Notice tone="danger" title={t`This setup link does not work`}>
        <Trans>
          It was already used or has been replaced. You can still create an account or sign in, but
          not become the operator with it.
        </Trans>
      </Notice>
    );
  }
  return (
    <Notice tone="call" title={t`You will be the operator`}>
      <Trans>
        You opened the setup link of this installation. Create an account or sign in to become its
        operator. The link works once.
      </Trans>
    </Notice>
  );
}

function InvitationNotice({ preview, error }: ReturnType<typeof useInvitation>) {
  if (error !== null) {
    return (
      <Notice tone="danger" title={t`This invitation cannot be used`}>
        <Trans>{error.message} You can still sign in, or ask for a new invitation.</Trans>
      </Notice>
    );
  }
  if (preview === undefined) {
    return (
      <Notice tone="call">
        <Trans>Looking up your invitation…</Trans>
      </Notice>
    );
  }
  const { tenantName, role, email } = preview;
  return (
    <Notice tone="call" title={t`You are invited to ${tenantName}`}>
      <Trans>
        You join as <strong className="font-medium text-ink">{nameRoleByText(role)}</strong> once
        you sign in or create an account with{" "}
        <strong className="font-medium text-ink">{email}</strong>.
      </Trans>
    </Notice>
  );
}
