import type { ComponentProps, ReactNode } from "react";
import { FormField } from "./form-field.tsx";
import { joinClasses } from "./join-classes.tsx";
import { CONTROL_CLASSES } from "./layer-styles.tsx";

export type TextAreaProps = Omit<ComponentProps<"textarea">, "id" | "aria-describedby"> & {
  label: ReactNode;
  help?: ReactNode;
  error?: string | undefined;
  isOptional?: boolean;
  isMono?: boolean;
};

/** A labelled field for several lines, which grows with what is in it. */
export function TextArea(props: TextAreaProps) {
  const { label, help, error, isOptional = false, isMono = false, className, ...area } = props;
  return (
    <FormField {...{ label, help, error, isOptional, className }}>
      {(control) => (
        <textarea
          rows={3}
          {...area}
          {...control}
          className={joinClasses(
            CONTROL_CLASSES,
            "block field-sizing-content max-h-96 min-h-20 px-3 py-2",
            isMono && "font-mono text-[0.8125rem]",
          )}
        />
      )}
    </FormField>
  );
}
