import { SAMPLE_PATH_PATTERN } from "@turnpike/domain/routes/sample-path";
import { z } from "zod";
import { writeLike } from "./config-shape.ts";

const markdownFile = z
  .string()
  .min(1)
  .max(4096)
  .describe(
    "Path of your own Markdown, relative to this file. Raw HTML in it is shown, not taken. Left out: the text that comes with the product. A file that cannot be read is a mistake at start.",
  );

/** What the public pages say in the operator's name. */
export const legalSection = z
  .strictObject(
    {
      terms: markdownFile.optional(),
      privacy: markdownFile.optional(),
      operator: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Your name as a company or person: who your customers contract with."),
      contact: z
        .email()
        .max(320)
        .optional()
        .describe(
          "Where questions about terms, privacy, plans and bills are answered. Every visitor can read it.",
        ),
      updated: z.iso
        .date("A day such as 2026-11-21.")
        .optional()
        .describe(
          "The day the texts were last changed. Left out: what `<!-- updated: 2026-11-21 -->` at the start of the text says, else the day its file was changed.",
        ),
    },
    writeLike("legal: { operator: Acme Ltd, contact: legal@example.com }"),
  )
  .prefault({});

export const landingSection = z
  .strictObject({
    headline: z
      .string()
      .min(1)
      .max(80)
      .optional()
      .describe("First line of the landing page. Left out: one that names your product."),
    summary: z
      .string()
      .min(1)
      .max(240)
      .optional()
      .describe("One or two sentences below it: what your API does, and for whom."),
    samplePath: z
      .string()
      .regex(SAMPLE_PATH_PATTERN, "A path such as /v1/cities?query=ber.")
      .optional()
      .describe(
        "Path and query of a GET that works with any key: what the code samples call. Left out: the first GET that the OpenAPI document of an upstream has examples for; without a document a call of the demo API, or once you have upstreams the list of models of one that speaks the OpenAI or Anthropic protocol, and `/` of any other.",
      ),
  })
  .prefault({});

export const referenceSection = z
  .strictObject({
    visibility: z
      .enum(["members", "public", "off"])
      .default("members")
      .describe(
        "Readers of the reference of your own API, at `/reference`: signed-in people (`members`), everyone (`public`) or no one (`off`). It is made of the OpenAPI documents of your upstreams.",
      ),
  })
  .prefault({});
