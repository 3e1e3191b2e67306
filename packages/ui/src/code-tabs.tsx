import { Tabs as BaseTabs } from "@base-ui/react/tabs";
import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { CodeBlock } from "./code-block.tsx";

export type Snippet = { id: string; language: string; code: string; note?: ReactNode };

export type CodeTabsProps = {
  /** What the code does: "First call". */
  subject: string;
  snippets: readonly Snippet[];
  /** The language shown; the page remembers it for all its samples. */
  value: string;
  onValueChange: (id: string) => void;
};

/** The same thing in several languages. */
export function CodeTabs({ subject, snippets, value, onValueChange }: CodeTabsProps) {
  const shown = snippets.some((snippet) => snippet.id === value) ? value : snippets[0]?.id;
  return (
    <BaseTabs.Root value={shown} onValueChange={(id: string) => onValueChange(id)}>
      <BaseTabs.List
        aria-label={t`${subject}: language`}
        activateOnFocus
        className="mb-2 flex gap-1 overflow-x-auto [scrollbar-width:none]"
      >
        {snippets.map((snippet) => (
          <BaseTabs.Tab
            key={snippet.id}
            value={snippet.id}
            className="focus-inset h-8 shrink-0 cursor-pointer rounded-control px-2.5 font-medium text-ink-muted text-xs hover:bg-hover hover:text-ink data-active:bg-selected data-active:text-ink touch:h-11 touch:px-3"
          >
            {snippet.language}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {snippets.map((snippet) => (
        <BaseTabs.Panel key={snippet.id} value={snippet.id} tabIndex={-1}>
          <CodeBlock
            code={snippet.code}
            subject={`${subject}, ${snippet.language}`}
            {...(snippet.note !== undefined && { note: snippet.note })}
          />
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
