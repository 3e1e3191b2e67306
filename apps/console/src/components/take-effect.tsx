import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { toast } from "sonner";
import type { ArrivalKind } from "#platform/arrivals.ts";
import { RequestError } from "#platform/error-message.ts";
import { useArrival, usePlatform } from "#platform/platform.tsx";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";

/** Has what a link brought along take effect, now that it is known who opened it. */
export function TakeEffect() {
  return (
    <>
      <TakeArrival kind="setup" success="You are now the operator of this installation." />
      <TakeArrival kind="invitation" success="You have joined the tenant." />
    </>
  );
}

function TakeArrival({ kind, success }: { kind: ArrivalKind; success: string }) {
  const { api, arrivals } = usePlatform();
  const refresh = useRefreshVerifiedUser();
  const secret = useArrival(kind);
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
      if (isRefusal(error) && !isForSomebodyElse(error)) {
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

/** The server answered and said no, as opposed to not answering or failing itself. */
function isRefusal(cause: unknown): boolean {
  const status = cause instanceof RequestError ? cause.status : undefined;
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}

/** The server knows it and named whose it is. */
function isForSomebodyElse(cause: unknown): boolean {
  return cause instanceof RequestError && cause.code === "INVITATION_EMAIL_MISMATCH";
}
