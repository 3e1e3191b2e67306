import type { FieldError } from "@turnpike/domain/errors/app-error";
import type { z } from "zod";
import type { Agent } from "../agent.ts";
import type { Documentation } from "../agents.ports.ts";
import { RESULT_BYTES_MAX, shortenTexts } from "./bound-result.ts";
import {
  OPERATION_TOOLS,
  PROPOSAL_TOOLS,
  readDocInput,
  searchDocsInput,
} from "./operation-tools.ts";

/** What a failed tool says. */
export type ToolFailure = { code: string; message: string; errors: readonly FieldError[] };

/** What tools work with, for one request of one agent. */
export type ToolCall = {
  agent: Agent;
  documentation: Documentation;
  /** Calls an operation of the API as the agent. */
  callOperation(id: string, input: unknown): Promise<unknown>;
  explainError(error: unknown): ToolFailure;
};

export type ToolArguments = Readonly<Record<string, unknown>>;

/** What an agent may call, by any protocol. */
export type AgentTool = {
  name: string;
  title: string;
  description: string;
  /** Undefined for what everyone may read. */
  scope: string | undefined;
  input: z.ZodObject;
  /** Left out: it only reads. */
  proposes?: true;
  run(call: ToolCall, input: ToolArguments): Promise<Record<string, unknown>>;
};

const PROPOSE = "proposals:write";

function docTool<Schema extends z.ZodObject>(
  tool: Pick<AgentTool, "name" | "title" | "description">,
  input: Schema,
  run: (documentation: Documentation, input: z.infer<Schema>) => Promise<Record<string, unknown>>,
): AgentTool {
  return {
    ...tool,
    scope: undefined,
    input,
    run: (call, sent) => run(call.documentation, input.parse(sent)),
  };
}

function toRecord(result: unknown): Record<string, unknown> {
  return typeof result === "object" && result !== null && !Array.isArray(result)
    ? { ...result }
    : { result };
}

/** Every tool with its scope: the same for the Model Context Protocol and for the language model. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  ...OPERATION_TOOLS.map(
    ({ operation, input, bounds, isOfTenant, ...tool }): AgentTool => ({
      ...tool,
      input,
      run: async ({ agent, callOperation }, sent) => {
        const own = isOfTenant ? { tenantId: agent.tenantId } : {};
        const result = await callOperation(operation, { ...sent, ...bounds.parse(sent), ...own });
        return toRecord(shortenTexts(result));
      },
    }),
  ),
  ...PROPOSAL_TOOLS.map(
    ({ input, toChange, ...tool }): AgentTool => ({
      ...tool,
      scope: PROPOSE,
      input,
      proposes: true,
      run: async ({ agent, callOperation }, { reason, ...sent }) =>
        toRecord(
          await callOperation("proposals.create", {
            tenantId: agent.tenantId,
            change: toChange(sent),
            reason,
          }),
        ),
    }),
  ),
  docTool(
    {
      name: "search_docs",
      title: "Search the documentation",
      description: "Sections of the documentation that match best, each with its address.",
    },
    searchDocsInput,
    async (documentation, { query, limit }) => ({
      items: await documentation.search(query, { limit }),
    }),
  ),
  docTool(
    {
      name: "read_doc",
      title: "Read a page of the documentation",
      description: "A whole page in Markdown.",
    },
    readDocInput,
    async (documentation, { page }) => ({ page, text: (await documentation.read(page)) ?? null }),
  ),
];

/** What a tool answered, as a value and as the text that a model reads. */
export type ToolOutcome =
  | { isOk: true; result: Record<string, unknown>; text: string }
  | { isOk: false; failure: ToolFailure };

/** Runs a tool; every failure is a value, and a result is bounded. */
export async function runTool(
  tool: AgentTool,
  call: ToolCall,
  input: ToolArguments,
): Promise<ToolOutcome> {
  try {
    const result = await tool.run(call, input);
    const text = JSON.stringify(result);
    const bytes = Buffer.byteLength(text);
    if (bytes > RESULT_BYTES_MAX) {
      const kilobytes = String(Math.ceil(bytes / 1024));
      const failure = {
        code: "RESULT_TOO_LARGE",
        message: `The answer has ${kilobytes} kB, and at most ${String(RESULT_BYTES_MAX / 1024)} kB are sent: ask for fewer rows, a shorter range or fewer dimensions.`,
        errors: [],
      };
      return { isOk: false, failure };
    }
    return { isOk: true, result, text };
  } catch (error) {
    return { isOk: false, failure: call.explainError(error) };
  }
}

/** A failure as the text that a model reads. */
export function writeFailure({ code, message, errors }: ToolFailure): string {
  const fields = errors.map((error) => `${error.pointer}: ${error.message}`);
  return [`${message} (${code})`, ...fields].join("\n");
}
