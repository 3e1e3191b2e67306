import { describe, expect, it } from "vitest";
import { buildCli } from "./build-cli.ts";
import { describeFailure } from "./report-failure.ts";

/** What a person reads who typed this. */
async function typed(...words: string[]): Promise<string | undefined> {
  const { program } = buildCli({
    readConfig: () => {
      throw new Error("A mistake on the command line is found before the configuration is read.");
    },
    workingFolder: "/",
    output: process.stdout,
    errors: process.stderr,
    isTerminal: false,
    setExitCode: () => undefined,
  });
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    const { exitCode, line } = describeFailure(error);
    expect(exitCode).toBe(2);
    return line;
  }
  throw new Error("Nothing was refused.");
}

describe("a mistake on the command line", () => {
  it.each([
    [["tenant", "list"], "unknown command 'tenant'. Did you mean tenants?"],
    [["keys", "lst"], "unknown command 'lst'. Did you mean list?"],
    [["usage", "--tenent", "a"], "unknown option '--tenent'. Did you mean --tenant?"],
    [["usage", "--jsn"], "unknown option '--jsn'. Did you mean --json?"],
    [["usage", "--by", "staus"], "Did you mean status?"],
    [["import", "--tenant", "a", "--format", "ngnix", "x.log"], "Did you mean nginx?"],
    [["import", "--tenant", "a", "--field", "tme=asctime", "x.log"], "Did you mean time?"],
    [["members", "put", "usr_1", "--tenant", "a", "--role", "onwer"], "Did you mean owner?"],
  ])("%j is answered with the word that was probably meant", async (words, suggestion) => {
    expect(await typed(...words)).toMatch(
      new RegExp(
        `^turnpike: .*${suggestion.replace("?", "\\?")}.* Add --help to see what there is\\.$`,
      ),
    );
  });

  it("about a scope names it before all that there are, which need no help", async () => {
    const words = ["service-keys", "create", "--name", "a", "--scope"];
    expect(await typed(...words, "usage:read", "nope:read")).toMatch(
      /^turnpike: "nope:read" is not a scope\. Scopes: tenants:read, .*, webhooks:write\.$/,
    );
    expect(await typed(...words, "usage:raed")).toContain(
      '"usage:raed" is not a scope. Did you mean usage:read? Scopes: ',
    );
  });

  it("is an upgrade without a place for its backup", async () => {
    expect(await typed("upgrade")).toContain("say where the backup goes, --backup <folder>");
  });

  it("is answered without a guess when nothing is near", async () => {
    expect(await typed("frobnicate")).toBe(
      "turnpike: unknown command 'frobnicate'. Add --help to see what there is.",
    );
  });
});
