import { t } from "@lingui/core/macro";
import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import { type ComponentProps, useRef } from "react";
import { joinClasses } from "./join-classes.tsx";
import { CONTROL_CLASSES } from "./layer-styles.tsx";

export type SearchFieldProps = Omit<
  ComponentProps<"input">,
  "value" | "onChange" | "aria-label" | "ref" | "type"
> & {
  /** What is searched: "Search keys". */
  label: string;
  value: string;
  onValueChange: (value: string) => void;
};

/** Finds in a list. Escape and the cross empty it; the focus stays. */
export function SearchField(props: SearchFieldProps) {
  const { label, value, onValueChange, className, placeholder = label, ...rest } = props;
  const input = useRef<HTMLInputElement>(null);

  function clear(): void {
    onValueChange("");
    input.current?.focus();
  }

  return (
    <div
      className={joinClasses(
        CONTROL_CLASSES,
        "focus-frame flex h-9 items-center touch:h-11",
        className,
      )}
    >
      <Search className="ml-2.5 size-4 shrink-0 text-ink-faint" aria-hidden="true" />
      <input
        {...rest}
        ref={input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onValueChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value !== "") {
            event.stopPropagation();
            clear();
          }
        }}
        className="focus-bare h-full min-w-0 grow bg-transparent px-2"
      />
      {value !== "" && (
        <button
          type="button"
          aria-label={t`Clear search`}
          onClick={clear}
          className="grid h-full w-8 shrink-0 cursor-pointer place-items-center rounded-control text-ink-muted hover:text-ink touch:w-11"
        >
          <X className="size-3.5" aria-hidden="true" />
        </button>
      )}
    </div>
  );
}
