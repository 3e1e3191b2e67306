import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type UseQueryResult, useMutation, useQueryClient } from "@tanstack/react-query";
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
import { toErrorMessage } from "#platform/error-message.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { mayInTenant, nameRole } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import type { StepState } from "./quickstart.view-model.ts";

type Key = Awaited<ReturnType<ApiClient["keys"]["get"]>>;

/** A program may still use the old key: it keeps working this long, in seconds. */
const ROLL_GRACE_SECONDS = 86_400;

export type KeyStepProps = {
  tenant: OwnTenant;
  state: StepState;
  /** Null when there is none. */
  newest: UseQueryResult<Key | null>;
  /** The text of the key made on this page. It cannot be shown again. */
  shownKey: string | undefined;
  onCreated: (key: string) => void;
};

/** Creates a key and shows it once. Leaving before it is stored asks for confirmation. */
export function KeyStep(props: KeyStepProps) {
  return (
    <KeepPage>
      <KeyStepBody {...props} />
    </KeepPage>
  );
}

function KeyStepBody({ tenant, state, newest, shownKey, onCreated }: KeyStepProps) {
  const [storedKey, setStoredKey] = useState<string>();
  const mayCreate = mayInTenant(tenant, "keys:write");
  if (shownKey !== undefined && shownKey !== storedKey) {
    return (
      <SecretOnce
        subject={t`API key`}
        secret={shownKey}
        advice={t`Store it where your program reads its secrets. The samples below contain it until you leave this page.`}
        onStored={() => setStoredKey(shownKey)}
      />
    );
  }
  const key = newest.data;
  // "No key" is from before one was created on this page.
  const isOutdated = key === null && shownKey !== undefined && !isAnswered(newest);
  if (key === undefined || isOutdated) {
    return newest.isError ? (
      <FailureNotice
        what={t`Your keys could not be checked.`}
        cause={newest.error}
        onRetry={() => void newest.refetch()}
      />
    ) : (
      <div role="status" aria-label={t`Loading: API key`}>
        <Skeleton className="h-9 w-full max-w-sm" />
      </div>
    );
  }
  if (key !== null) {
    return (
      <>
        <p className="text-ink-muted">
          <Trans>
            {key.name}{" "}
            <code className="font-mono text-[0.8125rem] text-ink">
              {key.start}…{key.lastFour}
            </code>{" "}
            is active.
          </Trans>
        </p>
        {shownKey === undefined && mayCreate && (
          <LostKey tenant={tenant} newest={key} onCreated={onCreated} />
        )}
      </>
    );
  }
  if (state === "waiting") {
    return (
      <p className="text-ink-muted">
        <Trans>A key identifies the caller.</Trans>
      </p>
    );
  }
  if (!mayCreate) {
    return (
      <p className="text-ink-muted">
        <Trans>
          Your role, {nameRole(tenant)}, cannot create keys: ask an owner or an admin of{" "}
          {tenant.name}.
        </Trans>
      </p>
    );
  }
  return <KeyForm tenant={tenant} initialName={t`First key`} onCreated={onCreated} />;
}

function isAnswered({ isSuccess, fetchStatus }: KeyStepProps["newest"]): boolean {
  return isSuccess && fetchStatus === "idle";
}

type LostKeyProps = Pick<KeyStepProps, "tenant" | "onCreated"> & { newest: Key };

/** The ways on for someone who no longer has the text of the key: a new text for it, or another key. */
function LostKey({ tenant, newest, onCreated }: LostKeyProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [isCreating, setIsCreating] = useState(false);
  const roll = useMutation({
    mutationKey: ["keys", "roll"],
    // Nothing but this page keeps the secret.
    gcTime: 0,
    mutationFn: () =>
      api.keys.roll({
        tenantId: tenant.tenantId,
        keyId: newest.keyId,
        graceSeconds: ROLL_GRACE_SECONDS,
      }),
    onSuccess: async (created) => {
      onCreated(created.key);
      await client.invalidateQueries({ queryKey: ["keys", tenant.tenantId] });
    },
  });
  useStake("secret", roll.isPending);
  const rollOnce = useSubmitOnce(roll.mutateAsync, "failed");
  if (isCreating) {
    return (
      <KeyForm
        tenant={tenant}
        initialName={t`Another key`}
        onCreated={onCreated}
        onCancel={() => setIsCreating(false)}
      />
    );
  }
  const canRoll = newest.rolledToKeyId === null;
  return (
    <>
      <FormErrors
        title={roll.isError ? t`The key was not rolled.` : undefined}
        errors={roll.isError ? [toErrorMessage(roll.error)] : []}
      />
      <p className="text-ink-muted">
        {canRoll
          ? t`A key is shown only once. If you no longer have it, roll it to get a new one, and the old one works for one more day; or create another key.`
          : t`A key is shown only once. If you no longer have it, create another key.`}
      </p>
      <div className="flex flex-wrap gap-2">
        {canRoll && (
          <Button progress={roll.isPending ? t`Rolling…` : undefined} onClick={() => rollOnce()}>
            <Trans>Roll this key</Trans>
          </Button>
        )}
        <Button disabled={roll.isPending} onClick={() => setIsCreating(true)}>
          <Trans>Create another key</Trans>
        </Button>
      </div>
    </>
  );
}

type KeyFormProps = Pick<KeyStepProps, "tenant" | "onCreated"> & {
  initialName: string;
  /** Left out: the form stays. */
  onCancel?: () => void;
};

function KeyForm({ tenant, initialName, onCreated, onCancel }: KeyFormProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [name, setName] = useState(initialName);
  const create = useMutation({
    mutationKey: ["keys", "create"],
    // Nothing but this page keeps the secret.
    gcTime: 0,
    mutationFn: () =>
      api.keys.create({ tenantId: tenant.tenantId, name, environment: "live", scopes: [] }),
    onSuccess: async (created) => {
      onCreated(created.key);
      await client.invalidateQueries({ queryKey: ["keys", tenant.tenantId] });
    },
  });
  // The response holds the secret, which is shown nowhere else.
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
        title={failure === undefined ? undefined : t`The key was not created.`}
        errors={failure?.messages ?? []}
      />
      <div className="flex flex-wrap items-start gap-3">
        <TextField
          className="grow basis-60"
          label={t`Name`}
          help={t`To recognise it in lists.`}
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
          progress={create.isPending ? t`Creating…` : undefined}
        >
          <Trans>Create key</Trans>
        </Button>
        {onCancel !== undefined && (
          <Button className="mt-6" onClick={onCancel}>
            <Trans>Cancel</Trans>
          </Button>
        )}
      </div>
    </form>
  );
}
