import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import type { Column } from "@turnpike/ui/column";
import { RelativeTime } from "@turnpike/ui/relative-time";
import type { ServiceKey } from "../tenants.queries.ts";

/** The columns of a service key: everything but the key itself. */
export const SERVICE_KEY_COLUMNS: readonly Column<ServiceKey>[] = [
  {
    id: "name",
    header: t`Name`,
    phone: "title",
    cell: ({ name, start }) => (
      <div className="min-w-0">
        <p className="font-medium [overflow-wrap:anywhere]">{name}</p>
        <code className="font-mono font-normal text-ink-muted text-xs">{start}…</code>
      </div>
    ),
  },
  {
    id: "scopes",
    header: t`Scopes`,
    cell: ({ scopes }) => (
      <span className="font-mono text-xs [overflow-wrap:anywhere] max-md:block max-md:text-right">
        {scopes.join(", ")}
      </span>
    ),
  },
  {
    id: "state",
    header: t`State`,
    className: "md:w-32",
    cell: ({ revokedAt }) =>
      revokedAt === null ? (
        <Badge tone="ok">
          <Trans>Active</Trans>
        </Badge>
      ) : (
        <Badge>
          <Trans>Revoked</Trans>
        </Badge>
      ),
  },
  {
    id: "created",
    header: t`Created`,
    className: "md:w-36",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} isFocusable={false} />,
  },
];
