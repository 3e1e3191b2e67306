import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

export type CodeBlockProps = {
  /** Exactly what is shown and copied. */
  code: string;
  /** What the code is: its name for screen readers and for the copy button. */
  subject: string;
  /** A line under the code. */
  note?: ReactNode;
  /** Called once it is in the clipboard. */
  onCopied?: () => void;
};

/** Code to copy. Long lines break, so a phone never scrolls sideways and nothing is hidden. */
export function CodeBlock({ code, subject, note, onCopied }: CodeBlockProps) {
  return (
    <figure className="min-w-0" aria-label={subject}>
      <div className="flex items-start gap-2 rounded-control border border-line bg-sunken py-1 pr-1 pl-3">
        <pre className="min-w-0 grow py-1.5 font-mono text-[0.8125rem] text-ink leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
          <code>{splitAtSpaces(code)}</code>
        </pre>
        <CopyButton value={code} subject={subject} {...(onCopied !== undefined && { onCopied })} />
      </div>
      {note !== undefined && (
        <figcaption className="mt-1.5 text-ink-muted text-xs">{note}</figcaption>
      )}
    </figure>
  );
}

/** Browsers break a line inside of `--name`. A word that is a block of its own breaks only when it is longer than a line. */
function splitAtSpaces(code: string): ReactNode[] {
  return code.split(/(\s+)/).map((part, index) =>
    index % 2 === 1 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no identity but their place
      <span key={index} className="inline-block max-w-full">
        {part}
      </span>
    ),
  );
}
