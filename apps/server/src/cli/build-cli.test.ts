import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { describe, expect, it } from "vitest";
import { buildCli } from "./build-cli.ts";

const { program } = buildCli({
  readConfig: () => {
    throw new Error("Help needs no configuration.");
  },
  workingFolder: "/",
  output: process.stdout,
  errors: process.stderr,
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
        ...["create", "list", "get", "update", "delete", "move", "list-deleted", "restore"].map(
          (name) => `tenants ${name}`,
        ),
        ...["list", "put", "remove"].map((name) => `members ${name}`),
        ...["create", "list", "revoke"].flatMap((name) => [`keys ${name}`, `service-keys ${name}`]),
        ...["list", "add", "remove"].map((name) => `operators ${name}`),
        ...["update", "roll", "disable", "enable", "import"].map((name) => `keys ${name}`),
        ...[
          "start",
          "try",
          "login",
          "logout",
          "whoami",
          "users ensure",
          "users reset-factors",
          "plans list",
          "billing rehearse",
          "invoices export",
          "payments import",
          "catalog apply",
          "catalog diff",
          "catalog export",
          "catalog show",
          "usage",
          "limits",
          "reconcile",
        ],
        ...["create", "list", "test", "deliveries", "replay", "rotate-secret"].map(
          (name) => `webhooks ${name}`,
        ),
        ...["disable", "enable", "delete"].map((name) => `webhooks ${name}`),
        ...[
          "ask",
          "audit list",
          "audit export",
          "backup",
          "journal recover",
          "clickhouse status",
          "clickhouse copy",
          "clickhouse rebuild",
          "restore",
          "upgrade",
          "clock",
          "config check",
          "config schema",
          "doctor",
          "demo",
          "detect",
          "forecast",
          "import",
          "mail test",
        ],
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

const ROOT = resolve(import.meta.dirname, "../../../..");
const PAGES = ["README.md", "docs/*.md", "examples/*/README.md", "packages/*/README.md"];

/** A command as a page writes it, up to the end of its line or code span. */
const WRITTEN = /\bturnpike (?:-- )?(?<words>[a-z][a-z-]*(?: [a-z][a-z-]*)*)(?<rest> --[^`\n]*)/g;

/** The options in pages that the command they are written behind does not have; `COMMANDS` are the ones that exist. */
function findWrongOptions(page: string): string[] {
  return [...readFileSync(join(ROOT, page), "utf8").matchAll(WRITTEN)].flatMap(
    ({ groups: { words = "", rest = "" } = {} }) => {
      const path = `turnpike ${words}`;
      const found = COMMANDS.find(([known]) => path === known || path.startsWith(`${known} `));
      const known = [...(found?.[1].options ?? []), ...program.options].map(({ long }) => long);
      return [...rest.matchAll(/(?<= )--[a-z][a-z-]*/g)]
        .map(([option]) => option)
        .filter((option) => found === undefined || !known.includes(option))
        .map((option) => `${page}: ${path} ${option}`);
    },
  );
}

describe("the pages", () => {
  it("name options that their commands have", () => {
    const pages = globSync(PAGES, { cwd: ROOT });
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.flatMap(findWrongOptions)).toEqual([]);
  });
});
