import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import type { Choice } from "@turnpike/ui/choice";
import X from "lucide-react/icons/x";
import { type AuditFilter, parseAuditFilter, withoutUndefined } from "./audit-filter.view-model.ts";
import { AuditFilters } from "./audit-filters.tsx";
import { AuditList } from "./audit-list.tsx";
import type { AuditSource } from "./audit-source.ts";
import { ExportMenu } from "./export-menu.tsx";
import { usePeopleOf } from "./use-people-of.ts";

type AuditLogSearch = AuditFilter & { cursor?: string };

export type AuditLogProps = {
  source: AuditSource;
  nouns: readonly Choice<string>[];
  search: AuditLogSearch;
  onSearchChange: (search: AuditLogSearch) => void;
};

/** An audit log with its filters, all of them in the address, and the way to a file of what they leave. */
export function AuditLog({ source, nouns, search, onSearchChange }: AuditLogProps) {
  const filter = parseAuditFilter(search);
  const { people } = usePeopleOf(source);
  const change = (part: AuditFilter) => onSearchChange(part);
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-end gap-3 lg:flex-nowrap lg:justify-between">
        <AuditFilters filter={filter} people={people} nouns={nouns} onChange={change} />
        <ExportMenu source={source} filter={filter} />
      </div>
      {filter.entity !== undefined && (
        <div className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 text-ink-muted">
            <Trans>Only about </Trans>
            <code className="font-mono text-xs [overflow-wrap:anywhere]">{filter.entity}</code>
          </span>
          <Button
            size="small"
            look="quiet"
            onClick={() => change(withoutUndefined({ ...filter, entity: undefined }))}
          >
            <X aria-hidden="true" className="size-3.5" />
            <Trans>Show all again</Trans>
          </Button>
        </div>
      )}
      <AuditList
        source={source}
        filter={filter}
        cursor={search.cursor}
        onCursorChange={(cursor) =>
          onSearchChange({ ...filter, ...(cursor === undefined ? {} : { cursor }) })
        }
        onEntityChoose={(entity) => change({ ...filter, entity })}
      />
    </div>
  );
}
