import { expect, it } from "vitest";
import { nameFirstChunks } from "./first-chunks.ts";

/** What each module imports. */
const GRAPH: Readonly<Record<string, readonly string[]>> = {
  script: ["page"],
  page: ["react", "picture"],
  main: ["react", "router"],
  router: ["react", "main"],
  form: ["field", "router", "picture"],
  frame: ["field", "menu"],
  screen: ["menu", "picture", "table"],
  table: [],
  menu: [],
  field: ["react"],
  picture: [],
  react: [],
};
const graph = {
  getModuleInfo: (id: string) => ({ importedIds: GRAPH[id] ?? [] }),
};
const name = nameFirstChunks([
  { name: "reading", entries: ["script"], isScript: true },
  { name: "application", entries: ["main"], isBeforeNext: true },
  { name: "sign-in", entries: ["form"] },
  { name: "frame", entries: ["frame"], isBeforeNext: true },
  { name: "screens", entries: ["screen"], isLeftAlone: true },
]);

it("gives one file to what the same beginnings need, and none to what screens of their own need", () => {
  const names = Object.fromEntries(
    [...Object.keys(GRAPH), "chart"].map((id) => [id, name(id, graph)]),
  );
  expect(names).toEqual({
    // Another page that imports what it shares with this one must not start it.
    script: null,
    page: "reading",
    react: "reading-and-application",
    main: "application",
    router: "application",
    form: "sign-in",
    picture: null,
    field: "sign-in-and-frame",
    frame: "frame",
    menu: "frame",
    screen: null,
    table: null,
    chart: null,
  });
});
