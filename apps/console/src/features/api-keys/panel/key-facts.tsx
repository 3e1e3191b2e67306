import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CopyButton } from "@turnpike/ui/copy-button";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { formatInstant } from "#platform/format.ts";
import type { Key, KeyId, KeySummary } from "../api-keys.queries.ts";
import {
  findLastUse,
  toLimitTexts,
  toMakerName,
  toMaskedKey,
  toShortId,
} from "../key.view-model.ts";

export type KeyFactsProps = {
  subject: Key;
  /** Undefined until it is known. */
  summary: KeySummary | undefined;
  people: ReadonlyMap<string, string>;
  onOpenKey: (keyId: KeyId) => void;
};

/** Everything stored about a key. */
export function KeyFacts({ subject, summary, people, onOpenKey }: KeyFactsProps) {
  const successor = subject.rolledToKeyId;
  const limits = toLimitTexts(subject);
  const lastUsedAt = summary === undefined ? undefined : findLastUse(subject, summary);
  const metadata = Object.entries(subject.metadata);
  return (
    <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
      <Fact name={t`Key`}>
        <code className="font-mono text-[0.8125rem]">{toMaskedKey(subject)}</code>
      </Fact>
      <Fact name={t`Id`}>
        <span className="flex items-center gap-1">
          <code className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">
            {subject.keyId}
          </code>
          <CopyButton value={subject.keyId} subject={t`id`} className="-my-1.5" />
        </span>
      </Fact>
      <Fact name={t`Scopes`}>
        {subject.scopes.length === 0 ? (
          <span className="text-ink-muted">
            <Trans>None: it can call the API but not manage the tenant.</Trans>
          </span>
        ) : (
          <span className="flex flex-wrap gap-1">
            {subject.scopes.map((scope) => (
              <code
                key={scope}
                className="rounded border border-line bg-sunken px-1.5 font-mono text-xs leading-5"
              >
                {scope}
              </code>
            ))}
          </span>
        )}
      </Fact>
      {subject.allowedNetworks.length > 0 && (
        <Fact name={t`Networks`}>
          <span className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
            {subject.allowedNetworks.join(", ")}
          </span>
        </Fact>
      )}
      {limits.length > 0 && (
        <Fact name={t`Limits`}>
          <ul>
            {limits.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        </Fact>
      )}
      <Fact name={t`Expires`}>
        {subject.state === "revoked" ? (
          <span className="text-ink-muted">–</span>
        ) : subject.expiresAt === null ? (
          <span className="text-ink-muted">
            <Trans>Never</Trans>
          </span>
        ) : (
          <>
            {formatInstant(subject.expiresAt)}{" "}
            <span className="text-ink-muted">
              (<RelativeTime at={subject.expiresAt} />)
            </span>
          </>
        )}
      </Fact>
      {successor !== null && (
        <Fact name={t`Replaced by`}>
          <button
            type="button"
            onClick={() => onOpenKey(successor)}
            className="cursor-pointer rounded-sm font-mono text-[0.8125rem] underline underline-offset-4"
          >
            {toShortId(successor)}
          </button>
        </Fact>
      )}
      {subject.revokedAt !== null && (
        <Fact name={t`Revoked`}>
          <RelativeTime at={subject.revokedAt} />
        </Fact>
      )}
      <Fact name={t`Last used`}>
        {summary === undefined ? (
          <Skeleton className="h-4 w-24" />
        ) : lastUsedAt === undefined ? (
          <span className="text-ink-muted">
            <Trans>Never</Trans>
          </span>
        ) : (
          <RelativeTime at={lastUsedAt} />
        )}
      </Fact>
      <Fact name={t`Created`}>
        <RelativeTime at={subject.createdAt} />{" "}
        <span className="text-ink-muted">
          <Trans>by {toMakerName(subject.createdBy, people)}</Trans>
        </span>
      </Fact>
      {metadata.length > 0 && (
        <Fact name={t`Metadata`}>
          <ul>
            {metadata.map(([name, value]) => (
              <li key={name} className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
                <span className="text-ink-muted">{name}: </span>
                {typeof value === "string" ? value : JSON.stringify(value)}
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}
