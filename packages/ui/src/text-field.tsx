import type { ComponentProps, ReactNode } from "react";
import { FormField } from "./form-field.tsx";
import { joinClasses } from "./join-classes.tsx";
import { CONTROL_CLASSES } from "./layer-styles.tsx";

export type TextFieldProps = Omit<ComponentProps<"input">, "id" | "aria-describedby"> & {
  label: ReactNode;
  help?: ReactNode;
  /** What is wrong with the value, in words. */
  error?: string | undefined;
  isOptional?: boolean;
  isMono?: boolean;
};

/** A labelled line of text. */
export function TextField(props: TextFieldProps) {
  const { label, help, error, isOptional = false, isMono = false, className, ...input } = props;
  return (
    <FormField {...{ label, help, error, isOptional, className }}>
      {(control) => (
        <input
          {...input}
          {...control}
          className={joinClasses(
            CONTROL_CLASSES,
            "h-9 px-3 touch:h-11",
            isMono && "font-mono text-[0.8125rem]",
          )}
        />
      )}
    </FormField>
  );
}
