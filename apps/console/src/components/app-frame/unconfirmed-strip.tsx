import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { usePlatform } from "#platform/platform.tsx";
import type { User } from "#platform/session/session.ts";
import { toSignInMessage } from "#platform/session/to-sign-in-problem.ts";

type Wish = "send" | "check";

/** Asks a person of Firebase to confirm their address, while they have not: invitations need a confirmed one. */
export function UnconfirmedStrip({ user }: { user: User }) {
  const { session } = usePlatform();
  const { mutate, variables, isPending, isSuccess, error } = useMutation({
    mutationFn: async (wish: Wish) =>
      wish === "send" ? await session.firebase?.sendVerificationMail() : await session.renew(),
    retry: false,
  });
  const isDoing = (wish: Wish) => isPending && variables === wish;
  return (
    <section
      aria-label={t`Your e-mail address is not confirmed`}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b bg-info-soft px-4 py-1.5 md:px-6"
    >
      <p role="status" className="min-w-0 [overflow-wrap:anywhere]">
        {error === null
          ? toText(user.email, isSuccess ? variables : undefined)
          : toSignInMessage(error)}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          size="small"
          look="quiet"
          progress={isDoing("send") ? t`Sending…` : undefined}
          onClick={() => mutate("send")}
        >
          <Trans>Send the mail again</Trans>
        </Button>
        <Button
          size="small"
          progress={isDoing("check") ? t`Checking…` : undefined}
          onClick={() => mutate("check")}
        >
          <Trans>I have confirmed it</Trans>
        </Button>
      </div>
    </section>
  );
}

function toText(email: string | undefined, done: Wish | undefined): string {
  const address = email ?? t`your address`;
  if (done === "send") {
    return t`A new mail is on its way to ${address}.`;
  }
  return done === "check"
    ? t`${address} is not confirmed yet. Follow the link in the mail, then try again.`
    : t`Follow the link in the mail to ${address} to confirm that it is yours.`;
}
