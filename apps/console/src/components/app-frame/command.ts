import type { ReactElement } from "react";
import type { Searchable } from "./command-match.view-model.ts";

/** What the palette can do. */
export type Command = Searchable & {
  id: string;
  icon: ReactElement;
  /** Shown at the right. */
  note?: string;
  run: () => void;
};

export type CommandGroup = {
  value: string;
  items: Command[];
  /** Shown among matches alone: there are too many to look through. */
  isFoundOnly?: boolean;
};
