import { type ReactNode, type Ref, useId } from "react";
import { joinClasses } from "./join-classes.tsx";

export type CardProps = {
  title: ReactNode;
  /** One line that says what the card is for. */
  description?: ReactNode;
  /** Shown at the right of the title. */
  aside?: ReactNode;
  /** Depth of the title in the page's outline. */
  headingLevel?: 2 | 3;
  /** The title, which can then take the focus. */
  headingRef?: Ref<HTMLHeadingElement>;
  /** Lane marking at the top edge: this card waits for the person. */
  isCall?: boolean;
  className?: string;
  children?: ReactNode;
};

/** A region of the page with a title. Its name for screen readers is the title. */
export function Card(props: CardProps) {
  const titleId = useId();
  const Heading = props.headingLevel === 3 ? "h3" : "h2";
  return (
    <section
      aria-labelledby={titleId}
      className={joinClasses(
        "min-w-0 overflow-hidden rounded-card border border-line bg-surface",
        props.className,
      )}
    >
      {props.isCall === true && <div className="h-1 bg-accent" aria-hidden="true" />}
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 pt-4 sm:px-5">
        <div className="min-w-0">
          <Heading
            id={titleId}
            className={joinClasses(
              "font-semibold text-base",
              props.headingRef !== undefined && "outline-none focus-visible:shadow-none",
            )}
            {...(props.headingRef !== undefined && { ref: props.headingRef, tabIndex: -1 })}
          >
            {props.title}
          </Heading>
          {props.description !== undefined && (
            <p className="mt-0.5 max-w-[68ch] text-ink-muted text-sm">{props.description}</p>
          )}
        </div>
        {props.aside}
      </header>
      <div className="px-4 pt-4 pb-4 sm:px-5 sm:pb-5">{props.children}</div>
    </section>
  );
}
