import { Trans } from "@lingui/react/macro";
import { type ReactNode, useId } from "react";
import { joinClasses } from "./join-classes.tsx";

/** What ties a control to its label, help and error. */
export type ControlProps = {
  id: string;
  "aria-describedby": string;
  "aria-invalid": true | undefined;
};

export type FormFieldProps = {
  label: ReactNode;
  help?: ReactNode;
  /** What is wrong with the value, in words. */
  error?: string | undefined;
  /** Says that the field may stay empty. */
  isOptional?: boolean;
  /** For a control that is no form element: its name comes from the label by id. */
  labelId?: string;
  className?: string | undefined;
  children: (control: ControlProps) => ReactNode;
};

/** The frame of a form field: label above, help below, the error beside them and read out when it appears. */
export function FormField(props: FormFieldProps) {
  const id = useId();
  const { label, help, error } = props;
  return (
    <div className={joinClasses("min-w-0", props.className)}>
      <div className="mb-1 flex items-baseline justify-between gap-2">
        <label htmlFor={id} id={props.labelId} className="block font-medium text-sm">
          {label}
        </label>
        {props.isOptional === true && (
          <span className="text-ink-faint text-xs">
            <Trans>Optional</Trans>
          </span>
        )}
      </div>
      {props.children({
        id,
        "aria-describedby": `${id}-help ${id}-error`,
        "aria-invalid": error !== undefined || undefined,
      })}
      <p id={`${id}-help`} className="mt-1 text-ink-muted text-xs empty:hidden">
        {help}
      </p>
      <p id={`${id}-error`} role="alert" className="mt-1 text-danger text-xs empty:hidden">
        {error}
      </p>
    </div>
  );
}
