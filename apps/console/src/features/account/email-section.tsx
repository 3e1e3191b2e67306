import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { FormErrors } from "@turnpike/ui/form-errors";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import { PasswordField } from "#components/password/password-field.tsx";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { type OwnAccount, useRefreshAccount } from "./account.queries.ts";

/** The address that the person signs in with, and how to change it. */
export function EmailSection({ account }: { account: OwnAccount }) {
  const { config } = usePlatform();
  const [isChanging, setIsChanging] = useState(false);
  return (
    <Card title={t`E-mail address`} description={t`You sign in with it, and mails go there.`}>
      <p className="font-medium [overflow-wrap:anywhere]">{account.email}</p>
      {account.pendingEmail !== null && (
        <p role="status" className="mt-1 text-ink-muted [overflow-wrap:anywhere]">
          {config.mail.delivers
            ? t`It becomes ${account.pendingEmail} once you follow the link in the mail that went there. The link works for 24 hours.`
            : t`It becomes ${account.pendingEmail} once you follow the link in the mail to it. This installation sends no mail: ask the people who run it, who find the mail in their outbox.`}
        </p>
      )}
      <div className="mt-4">
        {isChanging ? (
          <EmailForm onDone={() => setIsChanging(false)} />
        ) : (
          <Button onClick={() => setIsChanging(true)}>
            <Trans>Change address…</Trans>
          </Button>
        )}
      </div>
    </Card>
  );
}

function EmailForm({ onDone }: { onDone: () => void }) {
  const { api } = usePlatform();
  const refresh = useRefreshAccount();
  const [email, setEmail] = useState("");
  const [currentPassword, setCurrentPassword] = useState("");
  const change = useMutation({
    mutationKey: ["account", "change-email"],
    mutationFn: (input: { email: string; currentPassword: string }) =>
      api.account.changeEmail(input),
    onSuccess: async ({ pendingEmail }) => {
      toast.success(t`Follow the link in the mail to ${pendingEmail ?? t`your new address`}.`);
      await refresh();
      onDone();
    },
  });
  const changeOnce = useSubmitOnce(change.mutateAsync, "settled");
  const failure = toFormFailure(change.error, {
    email: "/email",
    currentPassword: "/currentPassword",
  });
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (email.trim() !== "" && currentPassword !== "") {
      changeOnce({ email, currentPassword });
    }
  }
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <FormErrors
        title={failure === undefined ? undefined : t`Your address was not changed.`}
        errors={failure?.messages ?? []}
      />
      <TextField
        label={t`New e-mail address`}
        name="email"
        type="email"
        value={email}
        maxLength={254}
        autoFocus
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        error={failure?.fields.email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordField
        label={t`Your password`}
        autoComplete="current-password"
        error={failure?.fields.currentPassword}
        onValueChange={setCurrentPassword}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          disabled={email.trim() === "" || currentPassword === ""}
          progress={change.isPending ? t`Sending…` : undefined}
        >
          <Trans>Send the link</Trans>
        </Button>
        <Button look="quiet" disabled={change.isPending} onClick={onDone}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}
