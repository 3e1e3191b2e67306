import { describe, expect, it } from "vitest";
import { readReference } from "./read-reference.ts";

const toAddress = (path: string) => ({ path, address: `https://api.example.com${path}` });

const DOCUMENT = {
  openapi: "3.0.3",
  info: { title: "Cities", version: "2", description: "All of them." },
  tags: [{ name: "Unused" }, { name: "Cities", description: "Places." }],
  paths: {
    "/cities/{id}": {
      parameters: [{ $ref: "#/components/parameters/Id" }],
      put: {
        operationId: "putCity",
        summary: "Change a city",
        tags: ["Cities"],
        parameters: [
          { name: "dry", in: "query", required: true, schema: { type: "boolean" } },
          { name: "page", in: "query", schema: { type: "integer" } },
        ],
        requestBody: { $ref: "#/components/requestBodies/City" },
        responses: { 200: { $ref: "#/components/responses/City" }, 404: { description: "None." } },
      },
      get: { responses: {}, deprecated: true },
    },
  },
  components: {
    parameters: {
      Id: {
        name: "id",
        in: "path",
        required: true,
        schema: { type: "string" },
        example: "ber/lin",
      },
    },
    requestBodies: {
      City: { content: { "application/json": { schema: { $ref: "#/components/schemas/City" } } } },
    },
    responses: {
      City: {
        description: "It.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/City" } } },
      },
    },
    schemas: { City: { type: "object" } },
  },
};

describe("readReference", () => {
  it("follows links to parameters, bodies and answers, and groups operations by their first tag", () => {
    const { tags, operations } = readReference(DOCUMENT, toAddress);
    expect(tags.map(({ name }) => name)).toEqual(["Cities", "Operations"]);
    const [get, put] = operations;
    expect(get).toMatchObject({ id: "get--cities-id-", method: "GET", isDeprecated: true });
    expect(put).toMatchObject({ id: "putCity", summary: "Change a city", tag: "Cities" });
    expect(put?.parameters.map(({ name, place }) => `${place} ${name}`)).toEqual([
      "path id",
      "query dry",
      "query page",
    ]);
    expect(put?.answers.map(({ status, description }) => [status, description])).toEqual([
      ["200", "It."],
      ["404", "None."],
    ]);
  });

  it.each([
    ["nothing", undefined],
    ["a text", "openapi: 3"],
    ["lists instead of objects", { paths: [[]], tags: {}, components: [] }],
    ["a link to itself", { paths: { "/a": { $ref: "#/paths/~1a", get: { parameters: 5 } } } }],
    [
      "links that lead round in a circle or to the language's own names",
      {
        paths: { "/a": { get: { parameters: [{ $ref: "#/constructor" }, { $ref: "#/x" }] } } },
        x: { $ref: "#/x" },
      },
    ],
    ["numbers as names", { paths: { "/a": { get: { operationId: 5, tags: [7], summary: {} } } } }],
  ])("reads %s without an error", (_, document) => {
    expect(() => readReference(document, toAddress)).not.toThrow();
  });

  it("gives operations of one name different anchors", () => {
    const get = { operationId: "same", responses: {} };
    const { operations } = readReference({ paths: { "/a": { get }, "/b": { get } } }, toAddress);
    expect(new Set(operations.map(({ id }) => id)).size).toBe(2);
  });
});
