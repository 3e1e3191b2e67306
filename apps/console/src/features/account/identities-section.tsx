import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { ErrorState } from "@turnpike/ui/error-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import { useState } from "react";
import { PasswordField } from "#components/password/password-field.tsx";
import type { IdentityProvider } from "#platform/client-config.ts";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { openSignInWindow } from "#platform/session/sign-in-window.ts";
import { toSignInMessage } from "#platform/session/to-sign-in-problem.ts";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import {
  accountKey,
  identitiesQuery,
  type OwnAccount,
  type OwnIdentity,
} from "./account.queries.ts";
import { ConfirmAgain } from "./confirm-again.tsx";

/** What the person is about to do, with a provider that is called so. */
type Step =
  | { kind: "connect"; name: string; provider: IdentityProvider }
  | { kind: "disconnect"; name: string; issuer: string };

/** The providers that sign the person in, beside the password. Nothing where the installation has none. */
export function IdentitiesSection({ account }: { account: OwnAccount }) {
  const { api, config } = usePlatform();
  const [step, setStep] = useState<Step>();
  const identities = useQuery(identitiesQuery(api));
  const providers = config.identity.providers.filter(({ kind }) => kind === "oidc");
  const { data } = identities;
  if (providers.length === 0 && (data === undefined || data.length < 2)) {
    return null;
  }
  const free = providers.filter(({ issuer }) => !data?.some((one) => one.issuer === issuer));
  return (
    <Card
      title={t`Connected providers`}
      description={t`Each of them signs in to this account. An address alone connects nothing: you sign in at the provider once to show that it is yours.`}
    >
      {identities.isError && (
        <ErrorState
          size="notice"
          title={t`The list could not be loaded.`}
          reason={toErrorMessage(identities.error)}
          onRetry={() => void identities.refetch()}
        />
      )}
      {identities.isPending && <Skeleton className="h-24 w-full" />}
      {data !== undefined && (
        <ul className="divide-y divide-line rounded-control border border-line">
          {data.map((identity) => (
            <Identity
              key={identity.issuer ?? ""}
              identity={identity}
              name={nameIdentity(identity, providers)}
              onDisconnect={setStep}
            />
          ))}
          {free.map((provider) => (
            <li
              key={provider.id}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-3 py-2.5"
            >
              <p className="font-medium">{provider.name}</p>
              <Button
                size="small"
                onClick={() => setStep({ kind: "connect", name: provider.name, provider })}
              >
                <Trans>Connect {provider.name}…</Trans>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {step !== undefined && (
        <Dialog
          isOpen
          onClose={() => setStep(undefined)}
          title={step.kind === "connect" ? t`Connect ${step.name}?` : t`Disconnect ${step.name}?`}
          description={
            step.kind === "connect"
              ? t`A window asks you to sign in there. From then on, that account signs in to this one.`
              : t`It no longer signs in to this account. If you signed in with it, you are signed out.`
          }
        >
          <StepForm
            step={step}
            needsPassword={account.kind === "builtin"}
            onDone={() => setStep(undefined)}
          />
        </Dialog>
      )}
    </Card>
  );
}

function nameIdentity(
  { issuer }: OwnIdentity,
  providers: readonly Pick<IdentityProvider, "issuer" | "name">[],
): string {
  if (issuer === null) {
    return t`Password`;
  }
  return providers.find((provider) => provider.issuer === issuer)?.name ?? issuer;
}

type IdentityProps = {
  identity: OwnIdentity;
  name: string;
  onDisconnect: (step: Step) => void;
};

function Identity({ identity, name, onDisconnect }: IdentityProps) {
  const { issuer, email, isFirst, canDisconnect, connectedAt } = identity;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5">
      <div className="min-w-0 grow basis-56">
        <p className="font-medium [overflow-wrap:anywhere]">
          {name}{" "}
          {isFirst && (
            <Badge tone="accent" hasDot={false}>
              <Trans>Your name and address</Trans>
            </Badge>
          )}
        </p>
        <p className="text-ink-muted text-xs [overflow-wrap:anywhere]">
          <Trans>{email ?? t`No address`}, since</Trans> <RelativeTime at={connectedAt} />
        </p>
      </div>
      {canDisconnect && issuer !== null && (
        <Button
          size="small"
          aria-label={t`Disconnect ${name}`}
          onClick={() => onDisconnect({ kind: "disconnect", name, issuer })}
        >
          <Trans>Disconnect…</Trans>
        </Button>
      )}
    </li>
  );
}

type StepFormProps = { step: Step; needsPassword: boolean; onDone: () => void };

function StepForm({ step, needsPassword, onDone }: StepFormProps) {
  const { api, config, session } = usePlatform();
  const client = useQueryClient();
  const [currentPassword, setCurrentPassword] = useState("");
  const { kind, name } = step;
  const run = useMutation({
    mutationKey: ["account", kind],
    mutationFn: async () => {
      // Before anything is awaited: browsers open windows only in answer to a press.
      const opened = step.kind === "connect" ? openSignInWindow(window) : undefined;
      const proof = needsPassword ? { currentPassword } : {};
      if (step.kind === "connect" && opened !== undefined) {
        const { id: providerId } = step.provider;
        await session.proveElsewhere(providerId, opened, {
          announce: async (nonce) => {
            await renewUnless(needsPassword);
            await api.account.beginConnecting({ providerId, nonce, ...proof });
          },
          accept: async (idToken) => {
            await api.account.connectIdentity({ idToken });
            await finish();
          },
        });
      } else if (step.kind === "disconnect") {
        await renewUnless(needsPassword);
        await api.account.disconnectIdentity({ issuer: step.issuer, ...proof });
        await (isInUse(step.issuer) ? session.signOut() : finish());
      }
    },
    retry: false,
  });
  const runOnce = useSubmitOnce(run.mutateAsync, "settled");

  async function finish(): Promise<void> {
    toast.success(kind === "connect" ? t`${name} is connected.` : t`${name} is disconnected.`);
    await client.invalidateQueries({ queryKey: accountKey });
    onDone();
  }

  /** True for the provider that this browser signed in by: its next token would be that of a new person. */
  function isInUse(issuer: string): boolean {
    const { providerId } = session.getState().user ?? {};
    return config.identity.providers.some((one) => one.issuer === issuer && one.id === providerId);
  }

  /** Where a provider does not say when its people signed in, a new token is their proof. */
  async function renewUnless(isProvenByPassword: boolean): Promise<void> {
    if (!isProvenByPassword) {
      await session.renew();
    }
  }

  const isAnswer = run.error === null || run.error instanceof RequestError;
  const failure = isAnswer
    ? toFormFailure(run.error, { currentPassword: "/currentPassword" })
    : { messages: [toSignInMessage(run.error)], fields: {} as { currentPassword?: string } };
  const isReady = !needsPassword || currentPassword !== "";
  return (
    <DialogForm
      onSubmit={() => {
        if (isReady) {
          runOnce();
        }
      }}
      onCancel={onDone}
      action={kind === "connect" ? t`Sign in at ${name}` : t`Disconnect`}
      progress={
        run.isPending
          ? kind === "connect"
            ? t`Waiting for ${name}…`
            : t`Disconnecting…`
          : undefined
      }
      isDisabled={!isReady}
      failure={
        kind === "connect" ? t`${name} was not connected.` : t`${name} was not disconnected.`
      }
      errors={failure?.messages}
    >
      {needsPassword && (
        <PasswordField
          label={t`Your password`}
          autoComplete="current-password"
          error={failure?.fields.currentPassword}
          onValueChange={setCurrentPassword}
        />
      )}
      <ConfirmAgain error={run.error} onDone={() => run.reset()} />
    </DialogForm>
  );
}
