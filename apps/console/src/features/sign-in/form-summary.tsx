import { FormErrors } from "@turnpike/ui/form-errors";

export type FormSummaryProps = {
  /** The headline: "The account was not created". */
  title: string;
  messages: readonly string[];
  fields: Readonly<Partial<Record<string, string>>>;
};

/** Why a form was not accepted. Errors shown at their fields are only announced to screen readers here. */
export function FormSummary({ title, messages, fields }: FormSummaryProps) {
  const beside = Object.values(fields);
  const isBeside = messages.length > 0 && messages.every((message) => beside.includes(message));
  return (
    <div className={isBeside ? "sr-only" : "empty:hidden has-[>:empty]:hidden"}>
      <FormErrors title={messages.length > 0 ? title : undefined} errors={messages} />
    </div>
  );
}
