import type { ModelEvent } from "@turnpike/contract/model-answers";
import { proposal } from "@turnpike/contract/proposals";
import type { QuestionReply } from "@turnpike/contract/questions";
import type { CheckedPart } from "@turnpike/domain/figures/check-figures";
import { createFigureGate } from "@turnpike/domain/figures/figure-gate";
import { createKnownFigures } from "@turnpike/domain/figures/known-figures";
import { toPlainText } from "@turnpike/domain/text/plain-text";
import type { ToolOutcome } from "../tools/agent-tools.ts";
import { createQueryCheck } from "./compare-queries.ts";
import { isDocTool, titleOfTool } from "./model-tools.ts";
import { toFigures, toQueryChips } from "./to-figures.ts";

/** A model that repeats itself would fill the screen. */
const TEXT_LENGTH_MAX = 20_000;

type CalledTool = { toolCallId: string; toolName: string; input: unknown };

function isOutcome(value: unknown): value is ToolOutcome {
  return typeof value === "object" && value !== null && "isOk" in value;
}

function describeInvalid(error: unknown): string {
  return error instanceof Error && error.name.includes("NoSuchTool")
    ? "The model called a tool that does not exist."
    : "The arguments of the model are not valid.";
}

function failed(callId: string, failure: string): ModelEvent {
  return { kind: "result", callId, isOk: false, failure, figures: [], more: 0 };
}

export type Translation = ReturnType<typeof createTranslation>;

/** Turns what the loop of a model reports into what is streamed: checked text, and calls as the product saw them. */
export function createTranslation(input: { builtIn: QuestionReply; question: string }) {
  const known = createKnownFigures();
  known.addText(input.question);
  const gate = createFigureGate(known);
  const check = createQueryCheck(input.builtIn);
  let withheld = 0;
  let textLength = 0;
  let isLineEnded = false;

  function toEvents(parts: readonly CheckedPart[]): ModelEvent[] {
    return parts.flatMap((part): ModelEvent[] => {
      if ("isWithheld" in part) {
        withheld += 1;
        isLineEnded = false;
        return [{ kind: "withheld" }];
      }
      const room = TEXT_LENGTH_MAX - textLength;
      textLength += part.text.length;
      isLineEnded = part.text.endsWith("\n");
      return room > 0 ? [{ kind: "text", text: toPlainText(part.text, room) }] : [];
    });
  }

  return {
    /** How many numbers were withheld so far. */
    withheld: () => withheld,
    hasText: () => textLength > 0,
    differences: () => check.differences(),
    /** A new piece of text is a paragraph of its own. */
    beginText: (): ModelEvent[] =>
      textLength > 0 ? [{ kind: "text", text: isLineEnded ? "\n" : "\n\n" }] : [],
    pushText: (text: string): ModelEvent[] => toEvents(gate.push(text)),
    endText: (): ModelEvent[] => toEvents(gate.end()),
    call: ({ toolCallId: callId, toolName: tool, input: sent }: CalledTool): ModelEvent[] => [
      { kind: "call", callId, tool, title: titleOfTool(tool), query: toQueryChips(sent) },
    ],
    /** A call that was not made: no such tool, or arguments that no tool takes. */
    invalid: (callId: string, error: unknown): ModelEvent[] => [
      failed(callId, describeInvalid(error)),
    ],
    result({
      toolCallId: callId,
      toolName,
      input: sent,
      output,
    }: CalledTool & { output: unknown }) {
      if (!isOutcome(output)) {
        return [failed(callId, "It failed.")];
      }
      if (!output.isOk) {
        return [failed(callId, output.failure.message)];
      }
      const { result } = output;
      const ok = { kind: "result", callId, isOk: true, failure: null } as const;
      if (isDocTool(toolName)) {
        known.addText(JSON.stringify(result));
        return [{ ...ok, figures: [], more: 0 }] satisfies ModelEvent[];
      }
      known.addResult(result);
      const proposed = proposal.safeParse(result);
      if (proposed.success) {
        return [
          { ...ok, figures: [], more: 0 },
          { kind: "proposal", callId, proposal: proposed.data },
        ] satisfies ModelEvent[];
      }
      check.add(toolName, { input: sent, result });
      return [{ ...ok, ...toFigures(result) }] satisfies ModelEvent[];
    },
  };
}
