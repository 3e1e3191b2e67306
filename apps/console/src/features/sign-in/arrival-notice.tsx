import { Notice } from "./notice.tsx";
import { useArrivalOnceShown, useInvitation } from "./use-invitation.ts";

/** Says what signing in will lead to, when a link brought the person here. */
export function ArrivalNotice() {
  const setup = useArrivalOnceShown("setup");
  const invitation = useInvitation();
  return (
    <>
      {setup !== undefined && (
        <Notice tone="call" title="You will be the operator">
          You opened the setup link of a fresh installation. Whoever creates an account or signs in
          now becomes its operator. The link works once.
        </Notice>
      )}
      {invitation.isBrought && <InvitationNotice {...invitation} />}
    </>
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
