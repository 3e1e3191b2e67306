import { toSignInProblem } from "#platform/session/to-sign-in-problem.ts";
import { Notice } from "./notice.tsx";

/** Says why signing in failed and what helps. Shows nothing for an attempt that a newer one has replaced. */
export function ProblemNotice({ error }: { error: unknown }) {
  const { cause, title, sentence } = toSignInProblem(error);
  return cause === "popup_replaced" ? null : (
    <Notice tone="danger" title={title}>
      {sentence}
    </Notice>
  );
}
