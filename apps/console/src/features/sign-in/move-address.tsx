import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { RequestError } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { FormSummary } from "./form-summary.tsx";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useSignInForm } from "./use-sign-in-form.ts";

export type MoveAddressProps = {
  issuer: string;
  /** From the link of the mail. */
  token: string;
  /** What the link does: sets the new address of an account, or brings the former one back. */
  kind: "change-email" | "undo-email";
  /** @param resetToken - Chooses a new password, after the former address is back. */
  onDone: (resetToken: string | undefined) => Promise<void>;
  /** The link no longer works. */
  onSignIn: () => void;
};

const WORDS = {
  "change-email": {
    path: "change",
    title: t`Confirm your new e-mail address`,
    purpose: t`From then on you sign in with it, and mails go there.`,
    action: t`Use this address`,
    progress: t`Changing…`,
    failure: t`Your address was not changed`,
  },
  "undo-email": {
    path: "undo",
    title: t`Take your account back`,
    purpose: t`Your account gets this e-mail address again, every session ends, and you choose a new password.`,
    action: t`Take the account back`,
    progress: t`Taking back…`,
    failure: t`Your address was not brought back`,
  },
} as const;

/** Asks for a click, because programs that check mails open their links. */
export function MoveAddress({ issuer, token, kind, onDone, onSignIn }: MoveAddressProps) {
  const { json } = usePlatform();
  const [isDead, setDead] = useState(false);
  const words = WORDS[kind];
  const form = useSignInForm({
    findProblems: () => ({}),
    send: async () => {
      const url = `${issuer}/email/${words.path}`;
      const answer = await json({ method: "POST", url, body: { token } }).catch(
        (cause: unknown) => {
          setDead(cause instanceof RequestError && cause.code === "LINK_INVALID");
          throw cause;
        },
      );
      await onDone(findResetToken(answer));
    },
  });
  return (
    <SignInFrame title={words.title} purpose={words.purpose}>
      <form {...form.formProps} className="flex flex-col gap-4">
        <FormSummary title={words.failure} messages={form.messages} fields={form.fields} />
        {!isDead && (
          <Button
            type={form.buttonType}
            look="primary"
            className="w-full"
            progress={form.isPending ? words.progress : undefined}
          >
            {words.action}
          </Button>
        )}
      </form>
      {isDead && (
        <Button look="primary" className="w-full" onClick={onSignIn}>
          <Trans>Sign in</Trans>
        </Button>
      )}
    </SignInFrame>
  );
}

function findResetToken(answer: unknown): string | undefined {
  const token =
    typeof answer === "object" && answer !== null && "resetToken" in answer
      ? answer.resetToken
      : undefined;
  return typeof token === "string" ? token : undefined;
}
