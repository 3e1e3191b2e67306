import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { FormErrors } from "@turnpike/ui/form-errors";
import { type SubmitEvent, useState } from "react";
import { PasswordField } from "#components/password/password-field.tsx";
import { PasswordRuleList } from "#components/password/password-rule-list.tsx";
import { toPasswordRules } from "#components/password/password-rules.view-model.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { type OwnAccount, useRefreshAccount } from "./account.queries.ts";

/** Changes the password, which takes the present one. */
export function PasswordSection({ account }: { account: OwnAccount }) {
  const [isChanging, setIsChanging] = useState(false);
  return (
    <Card
      title={t`Password`}
      description={t`A new password signs out every other browser, every command line and every agent.`}
    >
      {isChanging ? (
        <PasswordForm email={account.email ?? ""} onDone={() => setIsChanging(false)} />
      ) : (
        <Button onClick={() => setIsChanging(true)}>
          <Trans>Change password…</Trans>
        </Button>
      )}
    </Card>
  );
}

function PasswordForm({ email, onDone }: { email: string; onDone: () => void }) {
  const { api, config } = usePlatform();
  const refresh = useRefreshAccount();
  const [currentPassword, setCurrentPassword] = useState("");
  const [password, setPassword] = useState("");
  const change = useMutation({
    mutationKey: ["account", "change-password"],
    mutationFn: (input: { currentPassword: string; password: string }) =>
      api.account.changePassword(input),
    onSuccess: async () => {
      toast.success(t`Your password was changed. Everything else was signed out.`);
      await refresh();
      onDone();
    },
  });
  const changeOnce = useSubmitOnce(change.mutateAsync, "settled");
  const failure = toFormFailure(change.error, {
    currentPassword: "/currentPassword",
    password: "/password",
  });
  const rules = toPasswordRules(password, {
    email,
    lengthMin: config.identity.passwordRules.lengthMin,
  });
  const isReady = currentPassword !== "" && rules.every(({ isMet }) => isMet);
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (isReady) {
      changeOnce({ currentPassword, password });
    }
  }
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <FormErrors
        title={failure === undefined ? undefined : t`Your password was not changed.`}
        errors={failure?.messages ?? []}
      />
      {/* For password managers: which account the passwords are of. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <PasswordField
        label={t`Present password`}
        name="current-password"
        autoComplete="current-password"
        error={failure?.fields.currentPassword}
        onValueChange={setCurrentPassword}
      />
      <PasswordField
        label={t`New password`}
        name="new-password"
        autoComplete="new-password"
        error={failure?.fields.password}
        onValueChange={setPassword}
      />
      <PasswordRuleList rules={rules} />
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          disabled={!isReady}
          progress={change.isPending ? t`Changing…` : undefined}
        >
          <Trans>Change password</Trans>
        </Button>
        <Button look="quiet" disabled={change.isPending} onClick={onDone}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </form>
  );
}
