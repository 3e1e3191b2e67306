import { joinClasses } from "@turnpike/ui/join-classes";
import { LANGUAGE } from "@turnpike/ui/language";

const PICTURE = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const SIGNS = new Intl.Segmenter(LANGUAGE, { granularity: "grapheme" });

/** The first signs of up to two words: "Acme Weather" is "AW". A flag or a family of emoji is one sign, and as wide as two. */
export function toInitials(name: string): string {
  const [first = "", second = ""] = name
    .split(/[\s@._-]+/)
    .filter((word) => word !== "")
    .map((word) => ([...SIGNS.segment(word)][0]?.segment ?? "").toUpperCase());
  return PICTURE.test(first) || PICTURE.test(second) ? first : first + second;
}

export type InitialsProps = { name: string; shape: "square" | "round" };

/** Stands for a tenant (square) or a person (round). Purely visual. */
export function Initials({ name, shape }: InitialsProps) {
  return (
    <span
      aria-hidden="true"
      // Drawn by the style sheet: text would have to be part of the name of what it stands in.
      data-initials={toInitials(name)}
      className={joinClasses(
        "grid size-7 shrink-0 place-items-center overflow-hidden whitespace-nowrap font-semibold text-xs before:content-[attr(data-initials)]",
        shape === "square"
          ? "rounded-[6px] bg-accent text-on-accent"
          : "rounded-full border border-line-control bg-surface text-ink-muted",
      )}
    />
  );
}
