import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { Palette } from "@turnpike/ui/palette";
import MessageCircleQuestion from "lucide-react/icons/message-circle-question-mark";
import { useState } from "react";
import type { Command } from "./command.ts";
import { rankCommands } from "./command-match.view-model.ts";
import { useCommands } from "./use-commands.tsx";

export type CommandPaletteProps = { isOpen: boolean; onClose: () => void };

/** Screens and their parts, what the tenant has with a name, pages of the documentation, tenants and actions. */
export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  const [query, setQuery] = useState("");
  const commands = useCommands(isOpen);
  const navigate = useNavigate();
  const groups =
    query.trim() === ""
      ? commands.filter(({ isFoundOnly }) => isFoundOnly !== true)
      : [
          {
            value: t`Matches`,
            items: rankCommands(
              commands.flatMap(({ items }) => items),
              query,
            ),
          },
          // One or two words are a name or a command; a question has more.
          ...(query.trim().split(/\s+/).length > 2
            ? [
                {
                  value: t`Ask`,
                  items: [
                    {
                      id: "ask",
                      label: t`Ask: ${query.trim()}`,
                      icon: <MessageCircleQuestion aria-hidden="true" />,
                      run: () =>
                        void navigate({ to: "/ai-intelligence", search: { ask: query.trim() } }),
                    },
                  ],
                },
              ]
            : []),
        ];

  function close(): void {
    setQuery("");
    onClose();
  }

  function choose(command: Command): void {
    close();
    command.run();
  }

  return (
    <Palette
      isOpen={isOpen}
      onClose={close}
      label={t`Command palette`}
      placeholder={t`Search or go to…`}
      query={query}
      onQueryChange={setQuery}
      groups={groups.filter(({ items }) => items.length > 0)}
      onChoose={choose}
    />
  );
}
