import { useQuery } from "@tanstack/react-query";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { Notice } from "./notice.tsx";
import { signInQueries } from "./sign-in.queries.ts";
import { useArrivalOnceShown, useInvitation } from "./use-invitation.ts";

/** Explains what signing in leads to when a link brought the person here. */
export function ArrivalNotice() {
  const setup = useArrivalOnceShown("setup");
  const invitation = useInvitation();
  return (
    <>
      {setup !== undefined && <SetupNotice code={setup} />}
      {invitation.isBrought && <InvitationNotice {...invitation} />}
    </>
  );
}

/** Promises nothing until the server confirms that the code works. */
function SetupNotice({ code }: { code: string }) {
  const { api } = usePlatform();
  const check = useQuery({ ...signInQueries.setupCheck(api, code), retry: false });
  if (check.isError) {
    return (
      <Notice tone="danger" title="The setup link could not be checked">
        {toErrorMessage(check.error)} You can still sign in; the link is used once you are signed
        in.
      </Notice>
    );
  }
  if (check.data === undefined) {
    return <Notice tone="call">Checking your setup link…</Notice>;
  }
  if (!check.data.valid) {
    return (
      <Notice tone="danger" title="This setup link does not work">
        It was already used or has been replaced. You can still create an account or sign in, but
        not become the operator with it.
      </Notice>
    );
  }
  return (
    <Notice tone="call" title="You will be the operator">
      You opened the setup link of this installation. Create an account or sign in to become its
      operator. The link works once.
    </Notice>
  );
}

function InvitationNotice({ preview, error }: ReturnType<typeof useInvitation>) {
  if (error !== null) {
    return (
      <Notice tone="danger" title="This invitation cannot be used">
        {error.message} You can still sign in, or ask for a new invitation.
      </Notice>
    );
  }
  if (preview === undefined) {
    return <Notice tone="call">Looking up your invitation…</Notice>;
  }
  const { tenantName, role, email } = preview;
  return (
    <Notice tone="call" title={`You are invited to ${tenantName}`}>
      You join as <strong className="font-medium text-ink">{role}</strong> once you sign in or
      create an account with <strong className="font-medium text-ink">{email}</strong>.
    </Notice>
  );
}
