import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { usePlatform } from "#platform/platform.tsx";
import { Notice } from "./notice.tsx";
import { toSignInFailure } from "./sign-in-form.view-model.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

export type ConfirmEmailProps = {
  issuer: string;
  /** From the link of the mail. */
  token: string;
  onDone: () => void;
  onBack: () => void;
};

/** Confirms an address. By a press: what looks at the links of mails before people do must not confirm for them. */
export function ConfirmEmail({ issuer, token, onDone, onBack }: ConfirmEmailProps) {
  const { json } = usePlatform();
  const confirm = useMutation({
    mutationFn: async () =>
      await json({ method: "POST", url: `${issuer}/email/confirm`, body: { token } }),
    retry: false,
    onSuccess: onDone,
  });
  const failure = toSignInFailure(confirm.error);
  return (
    <SignInFrame
      title="Confirm your e-mail address"
      purpose="One press, and your account is ready to use."
    >
      {failure !== undefined && (
        <Notice tone="danger" title="Your address was not confirmed">
          {failure.messages.join(" ")} If you have confirmed it before, just sign in.
        </Notice>
      )}
      <Button
        look={failure === undefined ? "primary" : "secondary"}
        className="w-full"
        progress={confirm.isPending ? "Confirming…" : undefined}
        onClick={() => confirm.mutate()}
      >
        Confirm address
      </Button>
      {failure !== undefined && (
        <Button look="primary" className="w-full" onClick={onBack}>
          Sign in
        </Button>
      )}
    </SignInFrame>
  );
}
