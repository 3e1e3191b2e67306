import type { UseQueryResult } from "@tanstack/react-query";
import type { Column } from "@turnpike/ui/column";
import { CursorPagination } from "@turnpike/ui/cursor-pagination";
import { DataTable } from "@turnpike/ui/data-table";
import { Kbd } from "@turnpike/ui/kbd";
import type { Key, KeyPage } from "./api-keys.queries.ts";
import { goBack, goOn, type KeysView, narrow, toKeySort } from "./api-keys-search.view-model.ts";
import { BulkActions } from "./bulk/bulk-actions.tsx";
import { type BulkRun, countKeys } from "./bulk/use-bulk-change.ts";
import { findShortcut, type KeyChange, toOffers } from "./key.view-model.ts";
import type { KeyActionKind } from "./key-actions.ts";
import { KeyMenu } from "./key-menu.tsx";
import { NoKeys } from "./no-keys.tsx";

export type KeysTableProps = {
  view: KeysView;
  keys: UseQueryResult<KeyPage>;
  columns: readonly Column<Key>[];
  /** What is left out for who may only look. */
  write?: {
    selected: ReadonlySet<string>;
    onSelect: (ids: ReadonlySet<string>) => void;
    run: BulkRun | undefined;
    onBulk: (keys: readonly Key[], change: KeyChange) => void;
    onAction: (kind: KeyActionKind, key: Key) => void;
  };
  onChange: (view: KeysView) => void;
};

/** The keys of a page. */
export function KeysTable({ view, keys, columns, write, onChange }: KeysTableProps) {
  const rows = keys.data?.items;
  const nextCursor = keys.data?.nextCursor ?? null;
  const open = (key: Key) => onChange({ ...view, openKeyId: key.keyId });
  // Only what is in sight is changed: a choice on another page is not remembered.
  const chosen = rows?.filter((key) => write?.selected.has(key.keyId)) ?? [];
  return (
    <>
      <DataTable<Key>
        label="API keys"
        columns={columns}
        hiddenColumns={view.hidden}
        rows={rows}
        getRowId={(key) => key.keyId}
        getRowName={(key) => key.name}
        sort={view.sort}
        onSortChange={(sort) => onChange(narrow(view, { sort: toKeySort(sort) }))}
        onRowOpen={open}
        openRowId={view.openKeyId}
        isStale={keys.isPlaceholderData}
        empty={<NoKeys view={view} mayWrite={write !== undefined} onChange={onChange} />}
        {...(write !== undefined && {
          selection: {
            ids: new Set(chosen.map((key) => key.keyId)),
            onChange: write.onSelect,
            actions: <BulkActions keys={chosen} run={write.run} onChange={write.onBulk} />,
          },
          onRowKey: (key, press) => {
            const kind = findShortcut(press, toOffers(key));
            if (kind !== undefined) {
              write.onAction(kind, key);
            }
            return kind !== undefined;
          },
          getRowActions: (key) => (
            <KeyMenu subject={key} onOpen={() => open(key)} onAction={write.onAction} />
          ),
        })}
        {...(rows !== undefined && {
          footer: (
            <CursorPagination
              summary={
                view.cursors.length === 0 && nextCursor === null
                  ? countKeys(rows.length)
                  : `Page ${String(view.cursors.length + 1)}, ${countKeys(rows.length)}`
              }
              onPrevious={view.cursors.length === 0 ? undefined : () => onChange(goBack(view))}
              onNext={nextCursor === null ? undefined : () => onChange(goOn(view, nextCursor))}
            />
          ),
        })}
      />
      {rows !== undefined && rows.length > 0 && <ShortcutHelp isWriting={write !== undefined} />}
    </>
  );
}

const MOVES = [
  { keys: ["↑", "↓"], does: "move" },
  { keys: ["↵"], does: "open" },
];
const CHANGES = [
  { keys: ["Space"], does: "select" },
  { keys: ["E"], does: "edit" },
  { keys: ["R"], does: "roll" },
  { keys: ["D"], does: "disable or enable" },
  { keys: ["Del"], does: "revoke" },
];

function ShortcutHelp({ isWriting }: { isWriting: boolean }) {
  return (
    <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-ink-muted text-xs max-md:hidden">
      On a row:
      {(isWriting ? [...MOVES, ...CHANGES] : MOVES).map(({ keys, does }) => (
        <span key={does} className="inline-flex items-center gap-1.5">
          <Kbd keys={keys} /> {does}
        </span>
      ))}
    </p>
  );
}
