import { plural, t } from "@lingui/core/macro";
import type { ModelEnd, ModelEvent, QueryDifference } from "@turnpike/contract/model-answers";

type Of<Kind extends ModelEvent["kind"]> = Extract<ModelEvent, { kind: Kind }>;

/** A call of a tool; `result` is missing while it runs. */
export type ModelCall = Of<"call"> & { result?: Of<"result"> };
/** A piece of the text; a number that was withheld has none. */
export type TextPiece = { id: number; text: string | undefined };

/** What a language model has answered so far. */
export type ModelAnswer = {
  pieces: readonly TextPiece[];
  calls: readonly ModelCall[];
  proposals: readonly Of<"proposal">["proposal"][];
  /** Undefined when no query of the model can be compared; empty when one is the built-in one. */
  differences: readonly QueryDifference[] | undefined;
  end: { reason: ModelEnd; sentence: string | null; withheld: number } | undefined;
};

export const NO_ANSWER: ModelAnswer = {
  pieces: [],
  calls: [],
  proposals: [],
  differences: undefined,
  end: undefined,
};

/** Adds a piece; text goes on from text. */
function withPiece(pieces: readonly TextPiece[], text: string | undefined): readonly TextPiece[] {
  const last = pieces.at(-1);
  return last?.text === undefined || text === undefined
    ? [...pieces, { id: pieces.length, text }]
    : [...pieces.slice(0, -1), { ...last, text: last.text + text }];
}

/** The answer after one more event. */
export function withEvent(answer: ModelAnswer, event: ModelEvent): ModelAnswer {
  switch (event.kind) {
    case "start":
      return answer;
    case "text":
      return { ...answer, pieces: withPiece(answer.pieces, event.text) };
    case "withheld":
      return { ...answer, pieces: withPiece(answer.pieces, undefined) };
    case "call":
      return { ...answer, calls: [...answer.calls, event] };
    case "result":
      return {
        ...answer,
        calls: answer.calls.map((call) =>
          call.callId === event.callId ? { ...call, result: event } : call,
        ),
      };
    case "proposal":
      return { ...answer, proposals: [...answer.proposals, event.proposal] };
    case "check":
      return { ...answer, differences: event.differences };
    case "end": {
      const { kind: _, ...end } = event;
      return { ...answer, end };
    }
  }
}

const PART_NAMES: Readonly<Record<QueryDifference["part"], string>> = {
  measures: t`measure`,
  dimensions: t`breakdown`,
  filters: t`filter`,
  from: t`start`,
  to: t`end`,
  grain: t`step`,
};

/** One line for a difference: "measure: errors, built in requests". */
export function describeDifference({ part, model, builtIn }: QueryDifference): string {
  const orNone = (text: string) => (text === "" ? t`none` : text);
  return t`${PART_NAMES[part]}: ${orNone(model)} instead of ${orNone(builtIn)}`;
}

/** Says what withheld numbers are; undefined without any. */
export function describeWithheld(count: number): string | undefined {
  if (count === 0) {
    return;
  }
  return t`${plural(count, { one: "One number is", other: `${String(count)} numbers are` })} withheld: the model wrote what no result has.`;
}
