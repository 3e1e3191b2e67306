import { type UseQueryResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { ROLE_SCOPES } from "@turnpike/domain/access/scopes";
import { Button } from "@turnpike/ui/button";
import { FormErrors } from "@turnpike/ui/form-errors";
import { SecretOnce } from "@turnpike/ui/secret-once";
import { Skeleton } from "@turnpike/ui/skeleton";
import { TextField } from "@turnpike/ui/text-field";
import { KeepPage, useStake } from "@turnpike/ui/unsaved";
import { type SubmitEvent, useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { ApiClient } from "#platform/api-client.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { StepState } from "./quickstart.view-model.ts";

export type KeyStepProps = {
  tenant: OwnTenant;
  state: StepState;
  /** Null when there is none. */
  newest: UseQueryResult<Awaited<ReturnType<ApiClient["keys"]["get"]>> | null>;
  /** The text of the key that was made on this page; nobody can show it again. */
  shownKey: string | undefined;
  onCreated: (key: string) => void;
};

/** Makes the first key, and shows it once. Who leaves before it is stored is asked. */
export function KeyStep(props: KeyStepProps) {
  return (
    <KeepPage>
      <KeyStepBody {...props} />
    </KeepPage>
  );
}

function KeyStepBody({ tenant, state, newest, shownKey, onCreated }: KeyStepProps) {
  const [isStored, setIsStored] = useState(false);
  const mayCreate = ROLE_SCOPES[tenant.role].includes("keys:write");
  if (shownKey !== undefined && !isStored) {
    return (
      <SecretOnce
        subject="API key"
        secret={shownKey}
        advice="Store it where your program reads its secrets. The samples below contain it until you leave this page."
        onStored={() => setIsStored(true)}
      />
    );
  }
  const key = newest.data;
  // That there was none is from before a key was made here.
  const isOutdated = key === null && shownKey !== undefined && !isAnswered(newest);
  if (key === undefined || isOutdated) {
    return newest.isError ? (
      <FailureNotice
        what="Your keys could not be checked."
        cause={newest.error}
        onRetry={() => void newest.refetch()}
      />
    ) : (
      <div role="status" aria-label="Loading: API key">
        <Skeleton className="h-9 w-full max-w-sm" />
      </div>
    );
  }
  if (key !== null) {
    return (
      <p className="text-ink-muted">
        {key.name}{" "}
        <code className="font-mono text-[0.8125rem] text-ink">
          {key.start}…{key.lastFour}
        </code>{" "}
        is active.
      </p>
    );
  }
  if (state === "waiting") {
    return <p className="text-ink-muted">A key identifies the caller.</p>;
  }
  if (!mayCreate) {
    return (
      <p className="text-ink-muted">
        Your role {tenant.role} cannot create keys: ask an owner or an admin of {tenant.name}.
      </p>
    );
  }
  return <KeyForm tenant={tenant} onCreated={onCreated} />;
}

function isAnswered({ isSuccess, fetchStatus }: KeyStepProps["newest"]): boolean {
  return isSuccess && fetchStatus === "idle";
}

function KeyForm({ tenant, onCreated }: Pick<KeyStepProps, "tenant" | "onCreated">) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [name, setName] = useState("First key");
  const create = useMutation({
    mutationKey: ["keys", "create"],
    mutationFn: () =>
      api.keys.create({ tenantId: tenant.tenantId, name, environment: "live", scopes: [] }),
    onSuccess: async (created) => {
      onCreated(created.key);
      await client.invalidateQueries({ queryKey: ["keys", tenant.tenantId] });
    },
  });
  // Its answer holds the secret, which is shown nowhere else.
  useStake("secret", create.isPending);
  const submitOnce = useSubmitOnce(create.mutateAsync, "failed");
  const failure = toFormFailure(create.error, { name: "/name" });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    submitOnce();
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-3">
      <FormErrors
        title={failure === undefined ? undefined : "The key was not created."}
        errors={failure?.messages ?? []}
      />
      <div className="flex flex-wrap items-start gap-3">
        <TextField
          className="grow basis-60"
          label="Name"
          help="To recognise it in lists."
          name="name"
          value={name}
          maxLength={100}
          autoComplete="off"
          error={failure?.fields.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          type="submit"
          look="primary"
          className="mt-6"
          progress={create.isPending ? "Creating…" : undefined}
        >
          Create key
        </Button>
      </div>
    </form>
  );
}
