import { type ComponentProps, type ReactNode, useId } from "react";
import { joinClasses } from "./join-classes.tsx";

export type FieldProps = Omit<ComponentProps<"input">, "id" | "aria-describedby"> & {
  label: string;
  help?: ReactNode;
  /** What is wrong with the value, in words. */
  error?: string | undefined;
  isMono?: boolean;
};

/** A labelled text field: label above, help below, the error beside them and read out when it appears. */
export function Field({ label, help, error, isMono = false, className, ...input }: FieldProps) {
  const id = useId();
  return (
    <div className={joinClasses("min-w-0", className)}>
      <label htmlFor={id} className="mb-1 block font-medium text-sm">
        {label}
      </label>
      <input
        {...input}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={`${id}-help ${id}-error`}
        className={joinClasses(
          "h-9 w-full min-w-0 rounded-control border border-line-control bg-surface px-3 text-sm text-ink placeholder:text-ink-faint aria-invalid:border-danger",
          isMono && "font-mono text-[0.8125rem]",
        )}
      />
      <p id={`${id}-help`} className="mt-1 text-ink-muted text-xs empty:hidden">
        {help}
      </p>
      <p id={`${id}-error`} role="alert" className="mt-1 text-danger text-xs empty:hidden">
        {error}
      </p>
    </div>
  );
}
