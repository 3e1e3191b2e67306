import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { TextField } from "@turnpike/ui/text-field";
import { useState } from "react";
import { PasswordField } from "#components/password/password-field.tsx";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { type Deletion, deletionQuery } from "./account.queries.ts";
import { ConfirmAgain } from "./confirm-again.tsx";

/** Deletes the account, unless a tenant would lose its only owner. */
export function DeleteSection() {
  const { api } = usePlatform();
  const [isAsking, setIsAsking] = useState(false);
  const deletion = useQuery(deletionQuery(api));
  const { data } = deletion;
  return (
    <Card
      title={t`Delete account`}
      description={t`At once and for good: you leave every tenant, and everything that signs in as you ends. Keys that you made stay with their tenants.`}
    >
      {data !== undefined && data.soleOwnerOf.length > 0 ? (
        <SoleOwner tenants={data.soleOwnerOf} />
      ) : (
        <Button look="danger" disabled={data === undefined} onClick={() => setIsAsking(true)}>
          <Trans>Delete account…</Trans>
        </Button>
      )}
      {data !== undefined && (
        <Dialog
          isOpen={isAsking}
          onClose={() => setIsAsking(false)}
          title={t`Delete your account?`}
          description={t`This cannot be undone. What you did stays in the trails of tenants, under an id without your name.`}
        >
          <DeleteForm deletion={data} onCancel={() => setIsAsking(false)} />
        </Dialog>
      )}
    </Card>
  );
}

function SoleOwner({ tenants }: { tenants: Deletion["soleOwnerOf"] }) {
  return (
    <div>
      <p className="text-ink-muted">
        <Trans>
          You are the only owner of these tenants. Make someone else an owner, or delete the tenant,
          then delete your account.
        </Trans>
      </p>
      <ul className="mt-2 list-disc space-y-1 pl-5">
        {tenants.map(({ tenantId, name, slug }) => (
          <li key={tenantId} className="[overflow-wrap:anywhere]">
            {name}:{" "}
            <Link
              to="/tenants"
              search={{ tab: "members", tenant: slug }}
              className="font-medium underline underline-offset-4"
            >
              <Trans>members</Trans>
            </Link>
            ,{" "}
            <Link
              to="/tenants"
              search={{ tab: "settings", tenant: slug }}
              className="font-medium underline underline-offset-4"
            >
              <Trans>settings</Trans>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function DeleteForm({ deletion, onCancel }: { deletion: Deletion; onCancel: () => void }) {
  const { api, session } = usePlatform();
  const [confirmation, setConfirmation] = useState("");
  const [currentPassword, setCurrentPassword] = useState("");
  const remove = useMutation({
    mutationKey: ["account", "delete"],
    mutationFn: async (input: { confirmation: string; currentPassword?: string }) => {
      if (!deletion.needsPassword) {
        // Where a provider does not say when its people signed in, a new token is their proof.
        await session.renew();
      }
      await api.account.delete(input);
    },
    onSuccess: () => session.signOut(),
  });
  const removeOnce = useSubmitOnce(remove.mutateAsync, "failed");
  const failure = toFormFailure(remove.error, {
    confirmation: "/confirmation",
    currentPassword: "/currentPassword",
  });
  const isTyped = confirmation.trim().toLowerCase() === deletion.confirmation.toLowerCase();
  const isReady = isTyped && (!deletion.needsPassword || currentPassword !== "");
  return (
    <DialogForm
      onSubmit={() => {
        if (isReady) {
          removeOnce({ confirmation, ...(deletion.needsPassword ? { currentPassword } : {}) });
        }
      }}
      onCancel={onCancel}
      action={t`Delete account`}
      progress={remove.isPending ? t`Deleting…` : undefined}
      isDisabled={!isReady}
      failure={t`Your account was not deleted.`}
      errors={failure?.messages}
    >
      <TextField
        label={
          <Trans>
            Type{" "}
            <code className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
              {deletion.confirmation}
            </code>{" "}
            to confirm
          </Trans>
        }
        value={confirmation}
        isMono
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={failure?.fields.confirmation}
        onChange={(event) => setConfirmation(event.currentTarget.value)}
      />
      {deletion.needsPassword && (
        <PasswordField
          label={t`Your password`}
          autoComplete="current-password"
          error={failure?.fields.currentPassword}
          onValueChange={setCurrentPassword}
        />
      )}
      <ConfirmAgain error={remove.error} onDone={() => remove.reset()} />
    </DialogForm>
  );
}
