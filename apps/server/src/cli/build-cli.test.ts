import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { buildCli } from "./build-cli.ts";

const { program } = buildCli({
  readConfig: () => {
    throw new Error("Help needs no configuration.");
  },
  workingFolder: "/",
  isTerminal: false,
  setExitCode: () => undefined,
});

function listCommands(command: CommandUnknownOpts, path: string): [string, CommandUnknownOpts][] {
  return command.commands.flatMap((child): [string, CommandUnknownOpts][] => {
    const childPath = `${path} ${child.name()}`;
    return child.commands.length > 0 ? listCommands(child, childPath) : [[childPath, child]];
  });
}

function helpOf(command: CommandUnknownOpts): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

const COMMANDS = listCommands(program, "turnpike");

describe("the commands", () => {
  it("are those that are promised", () => {
    expect(COMMANDS.map(([path]) => path.replace("turnpike ", "")).sort()).toEqual(
      [
        ...["create", "list", "get", "update"].map((name) => `tenants ${name}`),
        ...["list", "put", "remove"].map((name) => `members ${name}`),
        ...["create", "list", "revoke"].flatMap((name) => [`keys ${name}`, `service-keys ${name}`]),
        ...["list", "add", "remove"].map((name) => `operators ${name}`),
        ...["roll", "disable", "enable", "import"].map((name) => `keys ${name}`),
        ...["users ensure", "plans list", "catalog apply", "usage", "limits", "reconcile"],
        ...["config check", "config schema", "demo"],
      ].sort(),
    );
  });

  it.each(COMMANDS)("%s says what it does, what it takes and how it is called", (path, command) => {
    const help = helpOf(command);
    expect(help).toContain(`Usage: ${path}`);
    expect(help).toContain(`$ ${path}`);
    expect(command.description()).not.toBe("");
    for (const option of command.options) {
      expect(option.description, option.flags).not.toBe("");
      const isMarked = help.replace(/\s+/g, " ").includes(`${option.description} (required)`);
      expect(isMarked, option.flags).toBe(option.mandatory);
    }
  });
});
