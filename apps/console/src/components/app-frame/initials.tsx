import { joinClasses } from "@turnpike/ui/join-classes";

/** The first letters of up to two words: "Acme Weather" is "AW". */
export function toInitials(name: string): string {
  return name
    .split(/[\s@._-]+/)
    .filter((word) => word !== "")
    .slice(0, 2)
    .map((word) => (Array.from(word)[0] ?? "").toUpperCase())
    .join("");
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
        "grid size-7 shrink-0 place-items-center font-semibold text-xs before:content-[attr(data-initials)]",
        shape === "square"
          ? "rounded-[6px] bg-accent text-on-accent"
          : "rounded-full border border-line-control bg-surface text-ink-muted",
      )}
    />
  );
}
