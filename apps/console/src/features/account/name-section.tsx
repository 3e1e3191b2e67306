import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { FormErrors } from "@turnpike/ui/form-errors";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { type OwnAccount, useRefreshAccount } from "./account.queries.ts";

/** The person's name, as members of their tenants see it. */
export function NameSection({ account }: { account: OwnAccount }) {
  const { api } = usePlatform();
  const refresh = useRefreshAccount();
  const [name, setName] = useState(account.name ?? "");
  const rename = useMutation({
    mutationKey: ["account", "rename"],
    mutationFn: (input: { name: string }) => api.account.rename(input),
    onSuccess: async () => {
      toast.success(t`Your name was saved.`);
      await refresh();
    },
  });
  const renameOnce = useSubmitOnce(rename.mutateAsync, "settled");
  const failure = toFormFailure(rename.error, { name: "/name" });
  const isChanged = name.trim() !== "" && name.trim() !== account.name;
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (isChanged) {
      renameOnce({ name });
    }
  }
  return (
    <Card
      title={t`Name`}
      description={t`Members of your tenants see it, and mails greet you by it.`}
    >
      <form onSubmit={submit} noValidate className="space-y-4">
        <FormErrors
          title={failure === undefined ? undefined : t`Your name was not saved.`}
          errors={failure?.messages ?? []}
        />
        <TextField
          label={t`Your name`}
          name="name"
          value={name}
          maxLength={100}
          autoComplete="name"
          error={failure?.fields.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          type="submit"
          disabled={!isChanged}
          progress={rename.isPending ? t`Saving…` : undefined}
        >
          <Trans>Save name</Trans>
        </Button>
      </form>
    </Card>
  );
}
