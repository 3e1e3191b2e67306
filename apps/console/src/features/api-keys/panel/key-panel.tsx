import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "@turnpike/ui/badge";
import { Button } from "@turnpike/ui/button";
import { ErrorState } from "@turnpike/ui/error-state";
import { Sheet } from "@turnpike/ui/sheet";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { InsightNotes } from "#components/insights/insight-notes.tsx";
import { isAboutKey } from "#components/insights/insights.view-model.ts";
import { readOwnTimeZone } from "#platform/chart-formats.ts";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { RequestError, toErrorMessage } from "#platform/error-message.ts";
import { mayInTenant } from "#platform/may-in-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Key, type KeyId, keysQueries } from "../api-keys.queries.ts";
import { EnvironmentBadge } from "../environment-badge.tsx";
import { toOffers, toStateBadge } from "../key.view-model.ts";
import { KEY_ACTIONS, type KeyActionKind } from "../key-actions.ts";
import { KeyFacts } from "./key-facts.tsx";
import { KeyTrail } from "./key-trail.tsx";
import { KeyUsage } from "./key-usage.tsx";

export type KeyPanelProps = {
  tenant: OwnTenant;
  /** Undefined while no key is open. */
  keyId: KeyId | undefined;
  /** The key from the list, shown until its own request is answered. */
  listed: Key | undefined;
  people: ReadonlyMap<string, string>;
  /** The actions available to the person. Left out: none. */
  onAction?: (kind: KeyActionKind, key: Key) => void;
  onOpenKey: (keyId: KeyId) => void;
  onClose: () => void;
  /** Dialogs that open above the panel. */
  children: ReactNode;
};

/** One key: its properties, usage, denials and audit trail. */
export function KeyPanel({ keyId, onClose, children, ...props }: KeyPanelProps) {
  if (keyId === undefined) {
    return children;
  }
  return (
    <OpenPanel {...props} keyId={keyId} onClose={onClose}>
      {children}
    </OpenPanel>
  );
}

function OpenPanel(props: KeyPanelProps & { keyId: KeyId }) {
  const { api } = usePlatform();
  const { tenant, keyId, listed, people, onAction } = props;
  const { tenantId } = tenant;
  const key = useQuery({
    ...keysQueries.one(api, tenantId, keyId),
    ...(listed === undefined ? {} : { placeholderData: listed }),
  });
  const summaries = useQuery(keysQueries.summaries(api, tenantId, [keyId], readOwnTimeZone()));
  const subject = key.data;
  return (
    <Sheet
      isOpen
      onClose={props.onClose}
      title={subject?.name ?? t`API key`}
      description={
        subject === undefined ? undefined : (
          <span className="mt-1 flex gap-2">
            <StateBadge subject={subject} />
            <EnvironmentBadge environment={subject.environment} />
          </span>
        )
      }
      {...(subject !== undefined &&
        onAction !== undefined &&
        subject.state !== "revoked" && {
          footer: <PanelActions subject={subject} onAction={onAction} />,
        })}
    >
      {subject === undefined ? (
        key.isError ? (
          <ErrorState
            title={t`The key could not be loaded.`}
            reason={toErrorMessage(key.error)}
            wayOn={t`It may belong to another of your tenants: switch at the top left.`}
            requestId={key.error instanceof RequestError ? key.error.requestId : undefined}
            onRetry={() => void key.refetch()}
          />
        ) : (
          <div role="status" aria-label={t`Loading: API key`} className="space-y-3">
            <Skeleton className="h-40 w-full opacity-50" />
            <Skeleton className="h-72 w-full opacity-50" />
          </div>
        )
      ) : (
        <div className="space-y-5">
          <KeyFacts
            subject={subject}
            summary={summaries.data?.items[0]}
            people={people}
            onOpenKey={props.onOpenKey}
          />
          {mayInTenant(tenant, "usage:read") && (
            <InsightNotes
              tenant={tenant}
              title={t`Risks`}
              headingLevel={3}
              isShown={(insight) => isAboutKey(insight, keyId)}
            />
          )}
          <KeyUsage tenantId={tenantId} keyId={keyId} name={subject.name} />
          {mayInTenant(tenant, "audit:read") && (
            <KeyTrail tenantId={tenantId} subject={subject} people={people} />
          )}
        </div>
      )}
      {props.children}
    </Sheet>
  );
}

function StateBadge({ subject }: { subject: Key }) {
  const { label, tone } = toStateBadge(subject);
  return <Badge tone={tone}>{label}</Badge>;
}

function PanelActions({
  subject,
  onAction,
}: {
  subject: Key;
  onAction: (kind: KeyActionKind, key: Key) => void;
}) {
  const offers = toOffers(subject);
  return KEY_ACTIONS.filter(({ kind }) => offers[kind]).map(({ kind, verb }) => (
    <Button
      // Disable and Enable are one button, so that it keeps the focus after a click.
      key={kind === "enable" ? "disable" : kind}
      look={kind === "revoke" ? "danger" : "secondary"}
      onClick={() => onAction(kind, subject)}
    >
      {verb}
    </Button>
  ));
}
