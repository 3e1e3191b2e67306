import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { ArrivalKind } from "#platform/arrivals.ts";
import { usePlatform } from "#platform/platform.tsx";
import { Notice } from "./notice.tsx";

/** What a link brought along. Nothing in the first render, which the server made without it. */
function useArrivalOnceShown(kind: ArrivalKind): string | undefined {
  const { arrivals } = usePlatform();
  return useSyncExternalStore(
    arrivals.subscribe,
    () => arrivals.get(kind),
    () => undefined,
  );
}

/** Says what signing in will lead to, when a link brought the person here. */
export function ArrivalNotice() {
  const setup = useArrivalOnceShown("setup");
  const invitation = useArrivalOnceShown("invitation");
  return (
    <>
      {setup !== undefined && (
        <Notice tone="call" title="You will be the operator">
          You opened the setup link of a fresh installation. Whoever creates an account or signs in
          now becomes its operator. The link works once.
        </Notice>
      )}
      {invitation !== undefined && <InvitationNotice token={invitation} />}
    </>
  );
}

function InvitationNotice({ token }: { token: string }) {
  const { api } = usePlatform();
  const preview = useQuery({
    queryKey: ["invitation-preview", token],
    queryFn: async () => await api.invitations.preview({ token }),
    retry: false,
  });
  if (preview.isError) {
    return (
      <Notice tone="danger" title="This invitation cannot be used">
        {preview.error.message} You can sign in all the same, or ask for another invitation.
      </Notice>
    );
  }
  if (preview.data === undefined) {
    return <Notice tone="call">Looking up your invitation…</Notice>;
  }
  const { tenantName, role, email } = preview.data;
  return (
    <Notice tone="call" title={`You are invited to ${tenantName}`}>
      You join as <strong className="font-medium text-ink">{role}</strong> once you sign in or
      create an account with <strong className="font-medium text-ink">{email}</strong>.
    </Notice>
  );
}
