import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Field } from "@turnpike/ui/field";
import { type FormEvent, useState } from "react";
import { SecretOnce } from "#components/secret-once.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { TenantId } from "./operator.queries.ts";

export type CreateKeyFormProps = {
  tenantId: TenantId;
  onKeyShown: (key: string | undefined) => void;
};

/** Makes a live key for a tenant and shows it once. */
export function CreateKeyForm({ tenantId, onKeyShown }: CreateKeyFormProps) {
  const { api } = usePlatform();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: (keyName: string) => api.keys.create({ tenantId, name: keyName }),
    onSuccess: (created) => {
      setName("");
      onKeyShown(created.key);
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate(name.trim());
  }

  if (create.isSuccess) {
    return (
      <SecretOnce
        subject="API key"
        secret={create.data.key}
        advice="Hand it to the tenant over a safe channel. It also stands in the call under Getting started until you have stored it."
        onStored={() => {
          create.reset();
          onKeyShown(undefined);
        }}
      />
    );
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 sm:flex-row sm:items-start">
      <Field
        className="sm:grow"
        label="Key name"
        placeholder="Production server"
        maxLength={100}
        required
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={create.isError ? toErrorMessage(create.error) : undefined}
      />
      <Button
        type="submit"
        className="sm:mt-6.5"
        progress={create.isPending ? "Creating…" : undefined}
      >
        Create key
      </Button>
    </form>
  );
}
