import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { TextField } from "@turnpike/ui/text-field";
import { type FormEvent, useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { operatorQueries, type Tenant } from "./operator.queries.ts";

/** Makes a tenant by its name. What was typed stays when it fails. */
export function CreateTenantForm({ onCreated }: { onCreated: (tenant: Tenant) => void }) {
  const { api } = usePlatform();
  const queryClient = useQueryClient();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: (tenantName: string) => api.tenants.create({ name: tenantName }),
    onSuccess: async (tenant) => {
      setName("");
      onCreated(tenant);
      await queryClient.invalidateQueries({ queryKey: operatorQueries.tenants(api).queryKey });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate(name.trim());
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-3 sm:flex-row sm:items-start">
      <TextField
        className="sm:grow"
        label="Tenant name"
        placeholder="Acme"
        maxLength={100}
        required
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={create.isError ? toErrorMessage(create.error) : undefined}
      />
      <Button
        type="submit"
        look="primary"
        className="sm:mt-6.5"
        progress={create.isPending ? "Creating…" : undefined}
      >
        Create tenant
      </Button>
    </form>
  );
}
