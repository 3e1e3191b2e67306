import { FormErrors } from "@turnpike/ui/form-errors";

export type FormSummaryProps = {
  /** What did not work: "The account was not created". */
  title: string;
  messages: readonly string[];
  fields: Readonly<Partial<Record<string, string>>>;
};

/** Why a form was not accepted. Errors shown beside their fields are only read out here, not shown twice. */
export function FormSummary({ title, messages, fields }: FormSummaryProps) {
  const beside = Object.values(fields);
  const isBeside = messages.length > 0 && messages.every((message) => beside.includes(message));
  return (
    <div className={isBeside ? "sr-only" : "empty:hidden has-[>:empty]:hidden"}>
      <FormErrors title={messages.length > 0 ? title : undefined} errors={messages} />
    </div>
  );
}
