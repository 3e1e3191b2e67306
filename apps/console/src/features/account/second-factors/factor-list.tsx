import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import type { ReactNode } from "react";
import { canUsePasskeys } from "#components/second-factor/passkeys.ts";
import type { Factors } from "./factors.queries.ts";

/** What the person wants to change. */
export type Change =
  | { kind: "add_passkey" }
  | { kind: "add_totp" }
  | { kind: "remove_passkey"; passkeyId: string; name: string }
  | { kind: "remove_totp" }
  | { kind: "renew_codes" };

export type FactorListProps = { factors: Factors; onChange: (change: Change) => void };

/** The factors of the person, each with what can be done about it. */
export function FactorList({ factors, onChange }: FactorListProps) {
  const hasFactor = factors.totp !== null || factors.passkeys.length > 0;
  const canAddPasskey = canUsePasskeys(globalThis.location.hostname);
  return (
    <ul className="divide-y divide-line">
      {factors.passkeys.map(({ passkeyId, name, ...times }) => (
        <Row
          key={passkeyId}
          title={name}
          detail={<Times {...times} />}
          action={
            <Button
              size="small"
              aria-label={t`Remove the passkey ${name}`}
              onClick={() => onChange({ kind: "remove_passkey", passkeyId, name })}
            >
              <Trans>Remove…</Trans>
            </Button>
          }
        />
      ))}
      {canAddPasskey && (
        <Row
          title={factors.passkeys.length === 0 ? t`Passkey` : t`Another passkey`}
          detail={t`A finger, a face or the PIN of your device, instead of the password.`}
          action={
            <Button size="small" onClick={() => onChange({ kind: "add_passkey" })}>
              <Trans>Add a passkey…</Trans>
            </Button>
          }
        />
      )}
      <Row
        title={t`App for one-time codes`}
        detail={
          factors.totp === null ? (
            t`Six digits from an app, after the password.`
          ) : (
            <Times {...factors.totp} />
          )
        }
        action={
          <Button
            size="small"
            onClick={() => onChange({ kind: factors.totp === null ? "add_totp" : "remove_totp" })}
          >
            {factors.totp === null ? t`Set up an app…` : t`Remove the app…`}
          </Button>
        }
      />
      {hasFactor && (
        <Row
          title={t`Recovery codes`}
          detail={t`${String(factors.recoveryCodesLeft)} left. Each signs you in once without your second factor.`}
          action={
            <Button size="small" onClick={() => onChange({ kind: "renew_codes" })}>
              <Trans>Make new codes…</Trans>
            </Button>
          }
        />
      )}
    </ul>
  );
}

function Times({ createdAt, lastUsedAt }: { createdAt: string; lastUsedAt: string | null }) {
  return (
    <>
      <Trans>Set up</Trans> <RelativeTime at={createdAt} />
      {lastUsedAt !== null && (
        <>
          <Trans>, last used</Trans> <RelativeTime at={lastUsedAt} />
        </>
      )}
    </>
  );
}

function Row(props: { title: ReactNode; detail: ReactNode; action: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="break-words font-medium">{props.title}</p>
        <p className="text-ink-muted text-xs">{props.detail}</p>
      </div>
      {props.action}
    </li>
  );
}
