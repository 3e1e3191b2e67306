import { t } from "@lingui/core/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";

export type CodeFormProps = {
  kind: "totp" | "recovery";
  action: string;
  progress: string;
  /** Rejects with the server's error. */
  send: (code: string) => Promise<void>;
};

/** Takes a code of an app, or a recovery code. */
export function CodeForm({ kind, action, progress, send }: CodeFormProps) {
  const [code, setCode] = useState("");
  const sending = useMutation({ mutationFn: send, retry: false, onError: () => setCode("") });
  const isApp = kind === "totp";
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (code.trim() !== "" && !sending.isPending) {
      sending.mutate(code);
    }
  }
  return (
    <form onSubmit={submit} method="post" noValidate className="flex flex-col gap-4">
      <TextField
        label={isApp ? t`Code of your app` : t`Recovery code`}
        name={isApp ? "code" : "recovery-code"}
        help={
          isApp
            ? t`Six digits, new every half minute.`
            : t`One of the codes that you saved. Each works once.`
        }
        value={code}
        inputMode={isApp ? "numeric" : "text"}
        autoComplete={isApp ? "one-time-code" : "off"}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        isMono
        error={sending.isError ? toErrorMessage(sending.error) : undefined}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <Button
        type="submit"
        look="primary"
        className="w-full"
        progress={sending.isPending || sending.isSuccess ? progress : undefined}
      >
        {action}
      </Button>
    </form>
  );
}
