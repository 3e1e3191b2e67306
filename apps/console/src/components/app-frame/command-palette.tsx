import { t } from "@lingui/core/macro";
import { useNavigate } from "@tanstack/react-router";
import { Palette } from "@turnpike/ui/palette";
import BookOpen from "lucide-react/icons/book-open";
import MessageCircleQuestion from "lucide-react/icons/message-circle-question-mark";
import { useState } from "react";
import { useVerifiedUser } from "#platform/verified-user.ts";
import type { Command } from "./command.ts";
import { rankCommands } from "./command-match.view-model.ts";
import { useCommands } from "./use-commands.tsx";

/** With fewer, what was typed may be a word of the documentation. */
const FEW_MATCHES = 3;

/** Operators look for how to run it, everybody else for how to use the API. */
function toSearchAddress(query: string, isOperator: boolean): string {
  const first = isOperator ? "operators" : "users";
  return `/docs/search?${new URLSearchParams({ q: query, first }).toString()}`;
}

export type CommandPaletteProps = { isOpen: boolean; onClose: () => void };

/** Screens and their parts, what the tenant has with a name, pages of the documentation, tenants and actions. */
export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  const [query, setQuery] = useState("");
  const commands = useCommands(isOpen, query);
  const navigate = useNavigate();
  const { user } = useVerifiedUser();
  const found = rankCommands(
    commands.flatMap(({ items }) => items),
    query,
  );
  const groups =
    query.trim() === ""
      ? commands.filter(({ isFoundOnly }) => isFoundOnly !== true)
      : [
          { value: t`Matches`, items: found },
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
          ...(found.length < FEW_MATCHES
            ? [
                {
                  value: t`Documentation`,
                  items: [
                    {
                      id: "search-docs",
                      label: t`Search the documentation: ${query.trim()}`,
                      icon: <BookOpen aria-hidden="true" />,
                      run: () =>
                        window.location.assign(toSearchAddress(query.trim(), user.isOperator)),
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
