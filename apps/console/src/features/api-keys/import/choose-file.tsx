import { CodeBlock } from "@turnpike/ui/code-block";
import { joinClasses } from "@turnpike/ui/join-classes";
import FileUp from "lucide-react/icons/file-up";
import { type DragEvent, useId, useState } from "react";

export type ChooseFileProps = {
  /** Why the last file could not be read. */
  error: string | undefined;
  onChoose: (file: File) => void;
};

const EXAMPLE = `hash,name,environment,lastFour,scopes,externalId
b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9,production,live,x7Qz,usage:read,k-1`;

/** Takes a file by keyboard, by click or by drop, and describes the format. */
export function ChooseFile({ error, onChoose }: ChooseFileProps) {
  const id = useId();
  const [isOver, setIsOver] = useState(false);

  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    const file = event.dataTransfer.files[0];
    if (file !== undefined) {
      onChoose(file);
    }
  }

  return (
    <div className="space-y-5">
      <div>
        <label
          htmlFor={id}
          onDragOver={(event) => {
            event.preventDefault();
            setIsOver(true);
          }}
          onDragLeave={() => setIsOver(false)}
          onDrop={drop}
          className={joinClasses(
            "grid cursor-pointer justify-items-center gap-1 rounded-card border border-line-control border-dashed px-4 py-8 text-center hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-ink has-focus-visible:outline-offset-2 dark:has-focus-visible:outline-accent",
            isOver && "bg-selected",
            error !== undefined && "border-danger",
          )}
        >
          <FileUp className="mb-1 size-6 text-ink-faint" aria-hidden="true" />
          <span className="font-medium">Choose a CSV or JSON file</span>
          <span className="text-ink-muted text-xs">
            Or drop it here. At most 100,000 rows. You see the result before anything is imported.
          </span>
          <input
            id={id}
            type="file"
            // After an unreadable file, the focus returns to the button that chose it.
            // biome-ignore lint/a11y/noAutofocus: see above
            autoFocus={error !== undefined}
            accept=".csv,.json,text/csv,application/json"
            aria-describedby={`${id}-error`}
            aria-invalid={error !== undefined || undefined}
            className="sr-only"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              // Lets the same file be chosen again after it was fixed.
              event.currentTarget.value = "";
              if (file !== undefined) {
                onChoose(file);
              }
            }}
          />
        </label>
        <p id={`${id}-error`} role="alert" className="mt-2 text-danger empty:hidden">
          {error}
        </p>
      </div>
      <div className="space-y-2">
        <p className="font-medium">File format</p>
        <p className="text-ink-muted">
          A CSV with a header line, or a JSON array of objects with these fields.{" "}
          <code className="font-mono text-[0.8125rem]">hash</code> is the SHA-256 of the key’s text,
          in hexadecimal or base64; <code className="font-mono text-[0.8125rem]">name</code> is what
          people see. The rest is optional:{" "}
          <a className="underline underline-offset-4" href="/docs/api#importing-keys-that-exist">
            all fields
          </a>
          .
        </p>
        <CodeBlock code={EXAMPLE} subject="A CSV of keys" />
      </div>
    </div>
  );
}
