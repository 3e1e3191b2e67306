/** One of several values to choose from. */
export type Choice<Value extends string> = {
  value: Value;
  label: string;
  /** A second line that says what choosing it means. */
  note?: string;
  isDisabled?: boolean;
};
