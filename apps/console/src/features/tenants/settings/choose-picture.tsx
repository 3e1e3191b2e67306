import { joinClasses } from "@turnpike/ui/join-classes";
import ImageUp from "lucide-react/icons/image-up";
import { type DragEvent, useId, useState } from "react";

export type ChoosePictureProps = {
  /** What is wrong with the last one. */
  error: string | undefined;
  onChoose: (file: File) => void;
};

/** Takes a picture by keyboard, by click or by drop. */
export function ChoosePicture({ error, onChoose }: ChoosePictureProps) {
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
          "flex cursor-pointer items-center gap-3 rounded-card border border-line-control border-dashed px-4 py-3 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-ink has-focus-visible:outline-offset-2 dark:has-focus-visible:outline-accent",
          isOver && "bg-selected",
          error !== undefined && "border-danger",
        )}
      >
        <ImageUp className="size-5 shrink-0 text-ink-faint" aria-hidden="true" />
        <span className="min-w-0">
          <span className="block font-medium">Choose a picture</span>
          <span className="block text-ink-muted text-xs">
            Or drop it here. PNG, JPEG, WebP, GIF, AVIF or SVG, at most 5 MB.
          </span>
        </span>
        <input
          id={id}
          type="file"
          accept=".png,.jpg,.jpeg,.webp,.gif,.avif,.svg"
          aria-describedby={`${id}-error`}
          aria-invalid={error !== undefined || undefined}
          className="sr-only"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            // Lets the same file be chosen again after it was mended.
            event.currentTarget.value = "";
            if (file !== undefined) {
              onChoose(file);
            }
          }}
        />
      </label>
      <p id={`${id}-error`} role="alert" className="mt-2 text-danger text-sm empty:hidden">
        {error}
      </p>
    </div>
  );
}
