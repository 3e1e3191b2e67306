import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import type { BegunPasskey, SetUpCalls } from "./factor-calls.ts";
import { makePasskey } from "./passkeys.ts";

export type SetUpPasskeyProps = {
  /** A challenge is good for one answer: after a failure there is another. */
  begin: () => Promise<BegunPasskey>;
  begun: BegunPasskey;
  confirm: SetUpCalls["confirmPasskey"];
};

/** Names a passkey and has the browser make it. */
export function SetUpPasskey({ begun, begin, confirm }: SetUpPasskeyProps) {
  const [name, setName] = useState(t`This device`);
  const making = useMutation({
    retry: false,
    mutationFn: async (isAgain: boolean) => {
      const { options } = isAgain ? await begin() : begun;
      await confirm({ name: name.trim(), answer: await makePasskey(options) });
    },
  });
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (name.trim() !== "" && !making.isPending) {
      making.mutate(making.isError);
    }
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <TextField
        label={t`Name of the passkey`}
        name="passkey-name"
        help={t`So that you recognise it in the list.`}
        value={name}
        maxLength={60}
        required
        error={making.isError ? toErrorMessage(making.error) : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button
        type="submit"
        look="primary"
        className="w-full"
        progress={making.isPending ? t`Waiting for your device…` : undefined}
      >
        <Trans>Create passkey</Trans>
      </Button>
    </form>
  );
}
