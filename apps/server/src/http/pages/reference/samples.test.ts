import { readReference } from "@turnpike/domain/routes/read-reference";
import { describe, expect, it } from "vitest";
import { LANGUAGES, toSampleRequest, writeSample } from "./samples.ts";

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
    schemas: {
      Named: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string", example: "It's Berlin" } },
      },
      City: {
        allOf: [
          { $ref: "#/components/schemas/Named" },
          {
            type: "object",
            required: ["twin", "size"],
            properties: {
              twin: { $ref: "#/components/schemas/City" },
              size: { oneOf: [{ type: ["integer", "null"], minimum: 3 }, { type: "string" }] },
            },
          },
        ],
      },
    },
  },
};

describe("samples", () => {
  const reference = readReference(DOCUMENT, toAddress);
  const put = reference.operations.find(({ id }) => id === "putCity");
  if (put === undefined) {
    throw new Error("The document has no such operation.");
  }
  const request = toSampleRequest(put, reference.schemas, "YOUR_KEY");

  it("fill in what is required, with the examples of the document", () => {
    expect(request).toMatchObject({
      method: "PUT",
      url: "https://api.example.com/cities/ber%2Flin?dry=true",
      headers: [
        { name: "Authorization", value: "Bearer YOUR_KEY" },
        { name: "Content-Type", value: "application/json" },
      ],
    });
    expect(JSON.parse(request.body?.text ?? "")).toMatchObject({ name: "It's Berlin", size: 3 });
  });

  it.each(LANGUAGES)("are written in $label, with address, key and body", (language) => {
    const text = writeSample(request, language);
    expect(text).toContain("api.example.com/cities/ber%2Flin");
    expect(text).toContain("YOUR_KEY");
    expect(text).toContain("s Berlin");
    expect(text).toContain("dry");
  });

  it("are run by a shell as they are written", async () => {
    const { execFileSync } = await import("node:child_process");
    const [curl] = LANGUAGES;
    const text = writeSample(request, curl).replace(/^curl/, "printf '%s\\n'");
    expect(execFileSync("sh", ["-c", text], { encoding: "utf8" })).toContain("It's Berlin");
  });
});
