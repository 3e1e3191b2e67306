import { readReference } from "@turnpike/domain/routes/read-reference";
import { SAMPLE_PATH_PATTERN } from "@turnpike/domain/routes/sample-path";
import { describe, expect, it } from "vitest";
import { findSampleCall, listCalls } from "./sample-calls.ts";

const HARBOUR = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string", example: "Rotterdam" } },
};
const LINK = { $ref: "#/components/schemas/Harbour" };

const toReference = (paths: object) =>
  readReference({ paths, components: { schemas: { Harbour: HARBOUR } } }, (path) => ({
    path,
    address: path,
  }));

const sending = (content: object) => ({ requestBody: { content } });
const sampleOf = (method: "GET" | "POST" | "PUT", path: string, operation: object) =>
  findSampleCall([toReference({ [path]: { [method.toLowerCase()]: operation } })], {
    method,
    path,
  });

describe("the sample of a call", () => {
  it("has the path, query, headers and body that the operation needs", () => {
    const parameters = [
      { name: "id", in: "path", required: true, example: "ber/lin" },
      { name: "dry", in: "query", required: true, schema: { type: "boolean" } },
      { name: "page", in: "query", schema: { type: "integer" } },
      { name: "X-Tide", in: "header", required: true, example: "it's low" },
    ];
    const operation = { parameters, ...sending({ "application/json": { schema: LINK } }) };
    expect(sampleOf("PUT", "/harbours/{id}", operation)).toEqual({
      method: "PUT",
      target: "/harbours/ber%2Flin?dry=true",
      headers: [
        { name: "X-Tide", value: "it's low" },
        { name: "Content-Type", value: "application/json" },
      ],
      body: '{\n  "name": "Rotterdam"\n}',
    });
  });

  it.each([
    ["its example", { schema: LINK, example: { name: "Piraeus" } }],
    [
      "the first of its examples",
      { schema: LINK, examples: { one: { value: { name: "Piraeus" } }, two: { value: 2 } } },
    ],
  ])("has the body that the document gives as %s", (_, media) => {
    const sample = sampleOf("POST", "/harbours", sending({ "application/json": media }));
    expect(JSON.parse(sample?.body ?? "")).toEqual({ name: "Piraeus" });
  });

  it("prefers JSON, and writes forms and texts", () => {
    const json = { "application/json": { schema: LINK } };
    const form = { "application/x-www-form-urlencoded": { schema: LINK } };
    const text = { "text/plain": { schema: { example: "Rotterdam" } } };
    const bodyOf = (content: object) => sampleOf("POST", "/harbours", sending(content))?.body;
    expect(bodyOf({ ...form, ...json })).toContain('"name"');
    expect(bodyOf(form)).toBe("name=Rotterdam");
    expect(bodyOf(text)).toBe("Rotterdam");
  });

  it.each(["/$metadata", "/it's/{id}", "/a b", '/"; rm -rf ~', "/`id`", "/häfen"])(
    "has a path that means nothing else in a shell or a program: %s",
    (path) => {
      expect(sampleOf("GET", path, {})?.target).toMatch(SAMPLE_PATH_PATTERN);
    },
  );

  it("is missing for what no document describes", () => {
    const references = [toReference({ "/harbours": { get: {} } })];
    expect(findSampleCall(references, { method: "POST", path: "/harbours" })).toBeUndefined();
    expect(findSampleCall([], { method: "GET", path: "/harbours" })).toBeUndefined();
  });
});

describe("the list of calls", () => {
  it("has what a sample can send, once, in the order of the documents", () => {
    const upload = sending({ "multipart/form-data": { schema: LINK } });
    const one = toReference({
      "/harbours": { get: {}, post: sending({ "application/json": { schema: LINK } }), head: {} },
      "/pictures": { post: upload, delete: {} },
    });
    const two = toReference({ "/harbours": { get: {} }, "/tides": { get: {} } });
    expect(listCalls([one, two]).map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /harbours",
      "POST /harbours",
      "DELETE /pictures",
      "GET /tides",
    ]);
  });
});
