import { Checkbox } from "@turnpike/ui/checkbox";
import type { ScopeChoice } from "./key-scopes.ts";

export type ScopesFieldProps = {
  label: string;
  help: string;
  choices: readonly ScopeChoice[];
  value: readonly string[];
  error?: string | undefined;
  onChange: (scopes: readonly string[]) => void;
};

/** Chooses scopes of a key. */
export function ScopesField({ label, help, choices, value, error, onChange }: ScopesFieldProps) {
  const toggle = (scope: string, isChosen: boolean) =>
    onChange(isChosen ? [...value, scope] : value.filter((one) => one !== scope));
  return (
    <fieldset aria-label={label} className="min-w-0">
      <p className="mb-3 text-ink-muted text-xs">{help}</p>
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
        {choices.map(({ scope, text, isOffered }) => (
          <Checkbox
            key={scope}
            label={<code className="font-mono text-xs [overflow-wrap:anywhere]">{scope}</code>}
            {...(text !== "" && { help: text })}
            isChecked={value.includes(scope)}
            isDisabled={!isOffered}
            onCheckedChange={(isChosen) => toggle(scope, isChosen)}
          />
        ))}
      </div>
      <p role="alert" className="mt-2 text-danger text-xs empty:hidden">
        {error}
      </p>
    </fieldset>
  );
}
