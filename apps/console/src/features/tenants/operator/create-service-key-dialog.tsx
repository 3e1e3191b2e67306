import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Scope } from "@turnpike/domain/access/scopes";
import { Checkbox } from "@turnpike/ui/checkbox";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { SecretOnce } from "@turnpike/ui/secret-once";
import { TextField } from "@turnpike/ui/text-field";
import { useStake, useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { SCOPE_GROUPS } from "./scope-groups.view-model.ts";

export type CreateServiceKeyDialogProps = { isOpen: boolean; onClose: () => void };

/** Creates a service key and shows it once. Until it is copied, only its own button closes the dialog. */
export function CreateServiceKeyDialog({ isOpen, onClose }: CreateServiceKeyDialogProps) {
  const [secret, setSecret] = useState<string>();
  const close = () => {
    setSecret(undefined);
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={secret === undefined ? t`Create a service key` : t`Your service key`}
      {...(secret === undefined && {
        description: t`Grant it only what the program needs: it reaches every tenant.`,
      })}
    >
      {secret === undefined ? (
        <ServiceKeyForm onCreated={setSecret} onCancel={close} />
      ) : (
        <SecretOnce
          subject={t`Service key`}
          secret={secret}
          advice={t`Store it where your program reads its secrets, never in a browser.`}
          onStored={close}
        />
      )}
    </Dialog>
  );
}

type ServiceKeyFormProps = { onCreated: (secret: string) => void; onCancel: () => void };

function ServiceKeyForm({ onCreated, onCancel }: ServiceKeyFormProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(["keys:verify"]));
  useUnsaved(name.trim() !== "");
  const create = useMutation({
    mutationKey: ["service-keys", "create"],
    mutationFn: () => api.serviceKeys.create({ name, scopes: [...scopes] }),
    onSuccess: async ({ key }) => {
      onCreated(key);
      await client.invalidateQueries({ queryKey: ["service-keys"] });
    },
  });
  // The response contains the secret, which is shown nowhere else.
  useStake("secret", create.isPending);
  const submitOnce = useSubmitOnce(create.mutateAsync, "failed");
  const failure = toFormFailure(create.error, { name: "/name", scopes: "/scopes" });

  return (
    <DialogForm
      onSubmit={() => submitOnce()}
      onCancel={onCancel}
      action={t`Create service key`}
      progress={create.isPending ? t`Creating…` : undefined}
      failure={t`The service key was not created.`}
      errors={failure?.messages}
    >
      <TextField
        label={t`Name`}
        help={t`The program that uses it.`}
        name="name"
        value={name}
        maxLength={100}
        autoComplete="off"
        error={failure?.fields.name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ScopeChoice scopes={scopes} error={failure?.fields.scopes} onChange={setScopes} />
    </DialogForm>
  );
}

type ScopeChoiceProps = {
  scopes: ReadonlySet<Scope>;
  error: string | undefined;
  onChange: (scopes: ReadonlySet<Scope>) => void;
};

function ScopeChoice({ scopes, error, onChange }: ScopeChoiceProps) {
  function toggle(scope: Scope): void {
    const next = new Set(scopes);
    if (!next.delete(scope)) {
      next.add(scope);
    }
    onChange(next);
  }

  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-medium text-sm">
        <Trans>Scopes</Trans>
      </legend>
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
        {SCOPE_GROUPS.map(({ noun, scopes: ofNoun }) => (
          <div key={noun} className="min-w-0">
            <p className="text-ink-muted text-xs">{noun}</p>
            <div className="flex flex-wrap gap-x-4">
              {ofNoun.map(({ scope, verb }) => (
                <Checkbox
                  key={scope}
                  label={
                    <>
                      <span className="sr-only">{noun}: </span>
                      {verb} <code className="ml-1 font-mono text-ink-muted text-xs">{scope}</code>
                    </>
                  }
                  isChecked={scopes.has(scope)}
                  onCheckedChange={() => toggle(scope)}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
      <p role="alert" className="mt-1 text-danger text-xs empty:hidden">
        {error}
      </p>
    </fieldset>
  );
}
