import { Skeleton } from "@turnpike/ui/skeleton";
import type { OnAsk } from "./asked.view-model.ts";

export type QuestionListProps = {
  heading: string;
  questions:
    | readonly {
        question: string;
        /** What it says in the language of the page; left out: as it is asked. */
        title?: string | undefined;
        after: readonly string[];
      }[]
    | undefined;
  onAsk: OnAsk;
};

/** Questions that are asked by a press. */
export function QuestionList({ heading, questions, onAsk }: QuestionListProps) {
  return (
    <div className="min-w-0">
      <h3 className="text-ink-muted text-xs">{heading}</h3>
      {questions === undefined ? (
        <Skeleton className="mt-2 h-24 w-full" />
      ) : (
        <ul className="mt-1">
          {questions.map((one) => (
            <li key={one.question}>
              <button
                type="button"
                className="-mx-2 min-h-8 cursor-pointer rounded-control px-2 py-1 text-left [overflow-wrap:anywhere] hover:bg-hover touch:min-h-11"
                onClick={() => onAsk({ question: one.question, after: one.after })}
              >
                {one.title ?? one.question}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
