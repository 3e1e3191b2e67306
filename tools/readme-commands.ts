const SHELL_BLOCK = /^```sh[^\n]*\n(?<body>.*?)^```/gms;

/**
 * Lists the commands a page tells its reader to run: the lines of its fenced `sh` blocks, in order, one command each.
 * Comment lines are dropped, and a line that ends in a backslash is joined with the next. Blocks of any other language
 * (`text`, `yaml`, …) are no commands.
 *
 * @param markdown - The whole page.
 * @returns The commands as typed; empty for a page without `sh` blocks.
 */
export function readmeCommands(markdown: string): string[] {
  return [...markdown.matchAll(SHELL_BLOCK)].flatMap((block) =>
    (block.groups?.["body"] ?? "")
      .replaceAll(/\\\n\s*/g, "")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#")),
  );
}
