import { createCommandLine } from "@turnpike/testkit/command-line";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it } from "vitest";
import { commandHere } from "./command-here.ts";
import { toTrialText } from "./try-command.ts";

const trial = {
  tenant: "first-customer",
  key: "tp_live_example",
  url: "http://localhost:3001/",
  status: 404,
  command: commandHere({ dataFolder: "/srv/our maps", isDataFolderNamed: true }),
};

describe("turnpike try", () => {
  it("prints next commands that find the same installation", () => {
    const text = toTrialText(trial);
    const commands = text.split("\n").filter((line) => / (?:usage|try) /.test(line));
    expect(commands).toHaveLength(2);
    for (const line of commands) {
      expect(line).toContain("TURNPIKE_DATA_DIR='/srv/our maps' npm run turnpike -- ");
    }
    expect(commandHere({ dataFolder: "/srv/maps", isDataFolderNamed: false })).toBe(
      "npm run turnpike --",
    );
  });

  it("says after a 404 how to call another path, and takes nothing that is no path", async () => {
    expect(toTrialText(trial)).toContain("try /its/path");
    expect(toTrialText({ ...trial, status: 200 })).not.toContain("/its/path");
    await using folder = await makeTempFolder();
    const turnpike = createCommandLine({ env: {}, workingFolder: folder.path });
    for (const path of ["quotes", "//evil.example", "http://evil.example/"]) {
      const { code, stderr } = await turnpike("try", path);
      expect({ path, code }).toEqual({ path, code: 2 });
      expect(stderr).toContain("no path of an API");
    }
  });
});
