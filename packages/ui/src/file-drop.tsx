import { type DragEvent, type ReactNode, useId, useState } from "react";
import { joinClasses } from "./join-classes.tsx";

export type FileDropProps = {
  icon: ReactNode;
  /** What to choose: "Choose a CSV or JSON file". */
  label: string;
  /** The formats and limits, in small print. */
  note: string;
  /** File types as the browser's chooser takes them. */
  accept: string;
  /** What is wrong with the last file. */
  error: string | undefined;
  /** In one row, for a card; left out: as high as a dialog leaves room for. */
  isCompact?: boolean;
  /** Takes the focus, as after a file that could not be read. */
  isFocused?: boolean;
  onChoose: (file: File) => void;
};

/** Takes a file by keyboard, by click or by drop. */
export function FileDrop(props: FileDropProps) {
  const {
    icon,
    label,
    note,
    accept,
    error,
    isCompact = false,
    isFocused = false,
    onChoose,
  } = props;
  const id = useId();
  const [isOver, setIsOver] = useState(false);

  function choose(file: File | undefined): void {
    if (file !== undefined) {
      onChoose(file);
    }
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    choose(event.dataTransfer.files[0]);
  }

  return (
    <div className="min-w-0 grow">
      <label
        htmlFor={id}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={joinClasses(
          "cursor-pointer rounded-card border border-line-control border-dashed px-4 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-ink has-focus-visible:outline-offset-2 dark:has-focus-visible:outline-accent",
          isCompact
            ? "flex items-center gap-3 py-3"
            : "grid justify-items-center gap-1 py-8 text-center",
          isOver && "bg-selected",
          error !== undefined && "border-danger",
        )}
      >
        {icon}
        <span className="min-w-0">
          <span className="block font-medium">{label}</span>
          <span className="block text-ink-muted text-xs">{note}</span>
        </span>
        <input
          id={id}
          type="file"
          // biome-ignore lint/a11y/noAutofocus: after an unreadable file, the focus returns to the control that chose it
          autoFocus={isFocused}
          accept={accept}
          aria-describedby={`${id}-error`}
          aria-invalid={error !== undefined || undefined}
          className="sr-only"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            // Lets the same file be chosen again after it was corrected.
            event.currentTarget.value = "";
            choose(file);
          }}
        />
      </label>
      <p id={`${id}-error`} role="alert" className="mt-2 text-danger text-sm empty:hidden">
        {error}
      </p>
    </div>
  );
}
