import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Column } from "@turnpike/ui/column";
import { CursorPagination } from "@turnpike/ui/cursor-pagination";
import { DataTable } from "@turnpike/ui/data-table";
import { Kbd } from "@turnpike/ui/kbd";
import { type ReactNode, useState } from "react";
import { toPaletteModifier } from "#components/app-frame/use-palette-keys.ts";
import { DocsLink } from "#components/docs-link.tsx";
import type { Key, KeyPage } from "./api-keys.queries.ts";
import {
  goBack,
  goOn,
  isWayBackLost,
  type KeysView,
  narrow,
  toKeySort,
  toPageNumber,
} from "./api-keys-search.view-model.ts";
import { BulkActions } from "./bulk/bulk-actions.tsx";
import {
  type BulkAction,
  type BulkChange,
  countKeys,
  findBulkShortcut,
  listFitting,
} from "./bulk/bulk-change.view-model.ts";
import { MatchingNotice } from "./bulk/matching-notice.tsx";
import type { useMatchingKeys } from "./bulk/use-matching-keys.ts";
import { findShortcut, toOffers } from "./key.view-model.ts";
import type { KeyActionKind } from "./key-actions.ts";
import { KEY_COLUMN_ROOM } from "./key-columns.tsx";
import { KeyMenu } from "./key-menu.tsx";
import { NoKeys } from "./no-keys.tsx";

export type KeysTableProps = {
  view: KeysView;
  keys: UseQueryResult<KeyPage>;
  columns: readonly Column<Key>[];
  /** A notice above the keys. */
  notice?: ReactNode;
  /** Left out for viewers. */
  write?: {
    selected: ReadonlySet<string>;
    /** Keys of other pages, when all matching keys were selected. */
    matching: ReturnType<typeof useMatchingKeys>;
    onSelect: (ids: ReadonlySet<string>) => void;
    running: BulkChange | undefined;
    onBulk: (keys: readonly Key[], change: BulkChange) => void;
    onAction: (kind: KeyActionKind, key: Key) => void;
  };
  onChange: (view: KeysView) => void;
};

/** The keys of a page. */
export function KeysTable({ view, keys, columns, notice, write, onChange }: KeysTableProps) {
  const rows = keys.data?.items;
  const nextCursor = keys.data?.nextCursor ?? null;
  const open = (key: Key) => onChange({ ...view, openKeyId: key.keyId });
  const matching = write?.matching;
  const hasMore = nextCursor !== null || view.cursors.length > 0;
  // Actions apply to visible keys only, unless all matching keys were selected: a selection on another page is not kept.
  const chosen = (matching?.found?.keys ?? rows ?? [])
    .filter((key) => write?.selected.has(key.keyId))
    .map((key) => rows?.find(({ keyId }) => keyId === key.keyId) ?? key);
  const isWholePage =
    rows !== undefined && rows.length > 0 && rows.every((key) => write?.selected.has(key.keyId));

  // Deselecting one matching key ends the "all" state.
  const isAllSaid =
    matching?.found === undefined ? isWholePage : chosen.length === matching.found.keys.length;

  function select(ids: ReadonlySet<string>): void {
    if (ids.size === 0) {
      matching?.forget();
    }
    write?.onSelect(ids);
  }
  const [asked, setAsked] = useState<"revoke" | "set_expiry">();

  /** Runs actions that can be undone at once; the others need confirmation. */
  function ask(action: BulkAction | undefined): void {
    if (action === "disable" || action === "enable") {
      write?.onBulk(listFitting(chosen, action), { action });
    } else {
      setAsked(action);
    }
  }

  /** A shortcut on one of several selected rows applies to all of them. */
  function press(key: Key, pressed: string): boolean {
    const isForMany = chosen.length > 1 && chosen.includes(key);
    if (isForMany) {
      const action = findBulkShortcut(pressed, chosen);
      if (action !== undefined && write?.running === undefined) {
        ask(action);
      }
      return action !== undefined;
    }
    const kind = findShortcut(pressed, toOffers(key));
    if (kind !== undefined) {
      write?.onAction(kind, key);
    }
    return kind !== undefined;
  }

  return (
    <>
      <DataTable<Key>
        label={t`API keys`}
        columns={columns}
        hiddenColumns={view.hidden}
        columnRoom={KEY_COLUMN_ROOM}
        notice={notice}
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
            onChange: select,
            ...(hasMore &&
              isAllSaid && {
                notice: (
                  <MatchingNotice
                    {...write.matching}
                    pageCount={rows?.length ?? 0}
                    onSearch={write.matching.search}
                    onNarrow={() => {
                      write.matching.forget();
                      write.onSelect(new Set(rows?.map((key) => key.keyId)));
                    }}
                  />
                ),
              }),
            actions: (
              <BulkActions
                keys={chosen}
                running={write.running}
                asked={asked}
                onAsk={ask}
                onChange={write.onBulk}
              />
            ),
          },
          onRowKey: press,
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
                  : t`Page ${String(toPageNumber(view))}, ${countKeys(rows.length)}`
              }
              previous={isWayBackLost(view) ? t`First page` : t`Previous`}
              onPrevious={view.cursors.length === 0 ? undefined : () => onChange(goBack(view))}
              // While the next page loads, this is still the cursor of the previous one.
              onNext={
                nextCursor === null || keys.isPlaceholderData
                  ? undefined
                  : () => onChange(goOn(view, nextCursor))
              }
            />
          ),
        })}
      />
      {rows !== undefined && rows.length > 0 && (
        <ShortcutHelp isWriting={write !== undefined} isMany={chosen.length > 1} />
      )}
    </>
  );
}

const MOVES = [
  { keys: ["↑", "↓"], does: t`move` },
  { keys: ["↵"], does: t`open` },
];
const CHANGES = [
  { keys: [t`Space`], does: t`select` },
  { keys: ["E"], does: t`edit` },
  { keys: ["R"], does: t`roll` },
  { keys: ["D"], does: t`disable or enable` },
  { keys: [t`Del`], does: t`revoke` },
];
const MANY = [
  { keys: ["⇧", "↓"], does: t`extend selection` },
  { keys: [toPaletteModifier(navigator.userAgent), "A"], does: t`all` },
  { keys: [t`Esc`], does: t`none` },
  { keys: ["D"], does: t`disable or enable` },
  { keys: ["X"], does: t`set expiry` },
  { keys: [t`Del`], does: t`revoke` },
];

function ShortcutHelp({ isWriting, isMany }: { isWriting: boolean; isMany: boolean }) {
  const shortcuts = isMany ? MANY : isWriting ? [...MOVES, ...CHANGES] : MOVES;
  return (
    <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-ink-muted text-xs max-md:hidden">
      {isMany ? t`With rows selected:` : t`On a row:`}
      {shortcuts.map(({ keys, does }) => (
        <span key={does} className="inline-flex items-center gap-1.5">
          <Kbd keys={keys} /> {does}
        </span>
      ))}
      <DocsLink page="keys">
        <Trans>How keys work</Trans>
      </DocsLink>
    </p>
  );
}
