import { readReference } from "@turnpike/domain/routes/read-reference";
import { describe, expect, it } from "vitest";
import { LANGUAGES, toSampleRequest, writeSample } from "./samples.ts";

const NAMED = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string", example: "It's Berlin" } },
};
const CITY = {
  allOf: [
    { $ref: "#/components/schemas/Named" },
    {
      required: ["twin", "size"],
      properties: {
        // A shape that names itself.
        twin: { $ref: "#/components/schemas/City" },
        size: { oneOf: [{ type: ["integer", "null"], minimum: 3 }, { type: "string" }] },
      },
    },
  ],
};
const DOCUMENT = {
  paths: {
    "/cities/{id}": {
      put: {
        operationId: "putCity",
        parameters: [
          { name: "id", in: "path", required: true, example: "ber/lin" },
          { name: "dry", in: "query", required: true, schema: { type: "boolean" } },
          { name: "page", in: "query", schema: { type: "integer" } },
        ],
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/City" } } },
        },
      },
    },
  },
  components: { schemas: { Named: NAMED, City: CITY } },
};

describe("samples", () => {
  const reference = readReference(DOCUMENT, (path) => ({
    path,
    address: `https://api.example.com${path}`,
  }));
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
