import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { Trans } from "@lingui/react/macro";
import Search from "lucide-react/icons/search";
import type { ReactElement } from "react";
import { Kbd } from "./kbd.tsx";
import { BACKDROP_CLASSES, OPTION_CLASSES } from "./layer-styles.tsx";

export type PaletteItem = { id: string; label: string; note?: string; icon: ReactElement };
export type PaletteGroup<Item extends PaletteItem> = { value: string; items: readonly Item[] };

export type PaletteProps<Item extends PaletteItem> = {
  isOpen: boolean;
  onClose: () => void;
  label: string;
  placeholder: string;
  query: string;
  onQueryChange: (query: string) => void;
  /** What the query leaves, best first; groups without items are left out by the caller. */
  groups: readonly PaletteGroup<Item>[];
  onChoose: (item: Item) => void;
};

/** Everything by name. The first match is always highlighted, so that Enter does what was typed. */
export function Palette<Item extends PaletteItem>(props: PaletteProps<Item>) {
  return (
    <BaseDialog.Root open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP_CLASSES} />
        <BaseDialog.Viewport className="fixed inset-0 z-50 flex items-start justify-center p-4 pt-[12dvh] max-sm:p-2">
          <BaseDialog.Popup
            aria-label={props.label}
            className="flex max-h-[min(28rem,calc(100dvh-2rem))] w-full max-w-xl flex-col overflow-hidden rounded-card border border-line bg-surface text-ink text-sm shadow-float outline-none transition-[opacity,translate] duration-150 ease-out data-starting-style:-translate-y-2 data-starting-style:opacity-0 data-ending-style:-translate-y-2 data-ending-style:opacity-0"
          >
            <Autocomplete.Root
              open
              inline
              items={props.groups}
              filter={null}
              value={props.query}
              onValueChange={(query, details) => {
                // Choosing fills the field with what was chosen, which is no query.
                if (details.reason !== "item-press") {
                  props.onQueryChange(query);
                }
              }}
              itemToStringValue={(item: Item) => item.label}
              autoHighlight="always"
              keepHighlight
            >
              <div className="flex items-center gap-2 border-line border-b px-4">
                <Search className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
                <Autocomplete.Input
                  aria-label={props.placeholder}
                  placeholder={props.placeholder}
                  className="focus-bare h-12 min-w-0 grow bg-transparent text-base placeholder:text-ink-faint"
                />
                <BaseDialog.Close className="sr-only">
                  <Trans>Close</Trans>
                </BaseDialog.Close>
                <span className="max-sm:hidden">
                  <Kbd keys={["Esc"]} />
                </span>
              </div>
              <Autocomplete.Empty>
                <p className="px-4 py-6 text-center text-ink-muted">
                  <Trans>No results.</Trans>
                </p>
              </Autocomplete.Empty>
              <Autocomplete.List className="min-h-0 scroll-py-2 overflow-y-auto overscroll-contain p-2 empty:p-0">
                {(group: PaletteGroup<Item>) => (
                  <Autocomplete.Group
                    key={group.value}
                    items={group.items}
                    className="not-last:mb-2"
                  >
                    <Autocomplete.GroupLabel className="px-2 pt-1 pb-1 font-medium text-ink-muted text-xs">
                      {group.value}
                    </Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(item: Item) => (
                        <Autocomplete.Item
                          key={item.id}
                          value={item}
                          onClick={() => props.onChoose(item)}
                          className={`${OPTION_CLASSES} data-highlighted:bg-selected [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-muted`}
                        >
                          {item.icon}
                          <span className="min-w-0 grow truncate">{item.label}</span>
                          {item.note !== undefined && (
                            <span className="shrink-0 text-ink-muted text-xs">{item.note}</span>
                          )}
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </Autocomplete.Root>
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
