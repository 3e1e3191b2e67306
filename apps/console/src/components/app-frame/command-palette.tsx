import { Palette } from "@turnpike/ui/palette";
import { useState } from "react";
import { rankCommands } from "./command-match.view-model.ts";
import { type Command, useCommands } from "./use-commands.tsx";

export type CommandPaletteProps = { isOpen: boolean; onClose: () => void };

/** Screens, tenants and actions by name. */
export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  const [query, setQuery] = useState("");
  const commands = useCommands();
  const groups =
    query.trim() === ""
      ? commands
      : [
          {
            value: "Matches",
            items: rankCommands(
              commands.flatMap(({ items }) => items),
              query,
            ),
          },
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
      label="Command palette"
      placeholder="Search or go to…"
      query={query}
      onQueryChange={setQuery}
      groups={groups.filter(({ items }) => items.length > 0)}
      onChoose={choose}
    />
  );
}
