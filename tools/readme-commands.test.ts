import { describe, expect, it } from "vitest";
import { readmeCommands } from "./readme-commands.ts";

describe("readmeCommands", () => {
  it("lists the lines of every sh block in order, without comments and blank lines", () => {
    const page = [
      "# Start",
      "```sh",
      "# once",
      "npm ci",
      "",
      "npm start",
      "```",
      "Then, elsewhere:",
      "```sh",
      "curl http://localhost:3001/demo",
      "```",
    ].join("\n");
    expect(readmeCommands(page)).toEqual([
      "npm ci",
      "npm start",
      "curl http://localhost:3001/demo",
    ]);
  });

  it("joins a line that ends in a backslash with the next one", () => {
    const page = "```sh\ncurl -H 'x: 1' \\\n  http://localhost:3001/demo\n```\n";
    expect(readmeCommands(page)).toEqual(["curl -H 'x: 1' http://localhost:3001/demo"]);
  });

  it("gives nothing for a page without sh blocks", () => {
    expect(readmeCommands("```yaml\nnpm: start\n```\n`npm test`\n")).toEqual([]);
  });
});
