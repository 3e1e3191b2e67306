import { t } from "@lingui/core/macro";
import { ComboboxField } from "@turnpike/ui/combobox";
import type { CallName } from "./quickstart.queries.ts";

const SUGGESTED = "suggested";

export type CallChoiceProps = {
  /** What the documents of the operator's API describe. */
  calls: readonly (CallName & { summary: string })[];
  /** Path and query of the GET that people begin with. */
  suggested: string;
  /** Undefined for the suggested one. */
  chosen: CallName | undefined;
  onChoose: (call: CallName | undefined) => void;
};

/** Any call of the API, found by typing a part of its method, path or summary. */
export function CallChoice({ calls, suggested, chosen, onChoose }: CallChoiceProps) {
  const first = `GET ${suggested}`;
  const choices = calls.flatMap(({ method, path, summary }) => {
    const name = `${method} ${path}`;
    const note = summary === name ? {} : { note: summary };
    return name === first ? [] : [{ value: name, label: name, ...note }];
  });
  return (
    <ComboboxField
      label={t`Call`}
      searchLabel={t`Search calls`}
      choices={[{ value: SUGGESTED, label: first, note: t`Suggested` }, ...choices]}
      value={chosen === undefined ? SUGGESTED : `${chosen.method} ${chosen.path}`}
      onValueChange={(value) =>
        onChoose(calls.find(({ method, path }) => `${method} ${path}` === value))
      }
    />
  );
}
