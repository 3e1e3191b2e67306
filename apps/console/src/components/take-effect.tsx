import { t } from "@lingui/core/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ArrivalKind } from "#platform/arrivals.ts";
import { RequestError } from "#platform/error-message.ts";
import { useArrivalFor, usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useRefreshVerifiedUser, verifiedUserQuery } from "#platform/verified-user.ts";

/** Uses what a link brought along, now that someone is signed in. */
export function TakeEffect() {
  const platform = usePlatform();
  const { data } = useQuery({ ...verifiedUserQuery(platform), enabled: false });
  return data === undefined ? null : <TakeFor email={data.user.email} />;
}

function TakeFor({ email }: { email: string | null }) {
  const { arrivals } = usePlatform();
  // The outside system is this browser's storage, which the next person at the machine shares.
  useEffect(() => arrivals.forgetOthers(email), [arrivals, email]);
  return (
    <>
      <TakeArrival
        kind="setup"
        email={email}
        success={t`You are now the operator of this installation.`}
      />
      <TakeArrival kind="invitation" email={email} success={t`You have joined the tenant.`} />
    </>
  );
}

type TakeArrivalProps = { kind: ArrivalKind; email: string | null; success: string };

function TakeArrival({ kind, email, success }: TakeArrivalProps) {
  const { api, arrivals, session } = usePlatform();
  const refresh = useRefreshVerifiedUser();
  const secret = useArrivalFor(kind, email);
  const { mutate } = useMutation({
    mutationKey: ["arrival", kind],
    mutationFn: async (text: string): Promise<unknown> =>
      kind === "setup"
        ? await api.setup.claim({ code: text })
        : await api.invitations.accept({ token: text }),
    onSuccess: async () => {
      arrivals.forget(kind);
      await refresh();
      toast.success(success);
    },
    onError: (error) => {
      // A refused link is dropped. One that got no answer is tried again with the next page, and one that belongs to
      // someone else is kept until they sign in.
      if (isForAnotherPerson(error)) {
        toast.error(error.message, {
          duration: Number.POSITIVE_INFINITY,
          action: { label: t`Switch account`, onClick: () => void session.signOut() },
        });
        return;
      }
      if (isRefusal(error)) {
        arrivals.forget(kind);
      }
      toast.error(error.message);
    },
  });
  // The outside system is the link that the person opened.
  useEffect(() => {
    if (secret !== undefined) {
      mutate(secret);
    }
  }, [secret, mutate]);
  return null;
}

/** The server refused it, as opposed to failing or not answering. */
export function isRefusal(cause: unknown): boolean {
  const status = cause instanceof RequestError ? cause.status : undefined;
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}

/** The server knows the invitation and said whom it is for. */
function isForAnotherPerson(cause: unknown): boolean {
  return cause instanceof RequestError && cause.code === "INVITATION_EMAIL_MISMATCH";
}
