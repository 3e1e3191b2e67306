import { Tabs as BaseTabs } from "@base-ui/react/tabs";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";

export type Tab<Value extends string> = {
  value: Value;
  label: string;
  /** How many there are behind it. */
  count?: number;
  content: ReactNode;
};

export type TabsProps<Value extends string> = {
  /** What the tabs are of, for screen readers. */
  label: string;
  tabs: readonly Tab<Value>[];
  value: Value;
  onValueChange: (value: Value) => void;
};

/** So much of its neighbours is seen as to tell that there are more. */
const TAB_PEEK_PX = 32;

function findTab(row: HTMLElement | null, value: string): HTMLElement | undefined {
  const tabs = row?.querySelectorAll<HTMLElement>("[data-tab]") ?? [];
  return Array.from(tabs).find((tab) => tab.dataset["tab"] === value);
}

/** Views of one thing, one at a time. Arrow keys move, Enter or Space opens, so that passing by loads nothing. */
export function Tabs<Value extends string>({
  label,
  tabs,
  value,
  onValueChange,
}: TabsProps<Value>) {
  const list = useRef<HTMLDivElement>(null);
  const shown = useRef(value);
  // Where there is no room for all of them, the open one is not the one that is cut off.
  useLayoutEffect(() => {
    const row = list.current;
    const active = findTab(row, value);
    if (row && active) {
      const end = active.offsetLeft + active.offsetWidth + TAB_PEEK_PX;
      row.scrollLeft = Math.max(
        Math.min(row.scrollLeft, active.offsetLeft - TAB_PEEK_PX),
        end - row.clientWidth,
      );
    }
  }, [value]);
  // What opened another tab may have gone with its own.
  useEffect(() => {
    if (shown.current !== value && document.activeElement === document.body) {
      findTab(list.current, value)?.focus({ preventScroll: true });
    }
    shown.current = value;
  }, [value]);
  return (
    <BaseTabs.Root value={value} onValueChange={(next: Value) => onValueChange(next)}>
      <BaseTabs.List
        ref={list}
        aria-label={label}
        className="relative flex gap-1 overflow-x-auto border-line border-b [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <BaseTabs.Tab
            key={tab.value}
            value={tab.value}
            data-tab={tab.value}
            className="focus-inset flex h-10 cursor-pointer items-center gap-2 rounded-t-control px-3 font-medium text-ink-muted text-sm whitespace-nowrap transition-colors duration-150 hover:text-ink data-active:text-ink touch:h-11"
          >
            {tab.label}
            {tab.count !== undefined && (
              <span className="rounded-full bg-sunken px-1.5 text-ink-muted text-xs tabular-nums">
                {tab.count}
              </span>
            )}
          </BaseTabs.Tab>
        ))}
        <BaseTabs.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-accent transition-[translate,width] duration-180 ease-out" />
      </BaseTabs.List>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.value} value={tab.value} className="pt-4 outline-offset-4">
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
