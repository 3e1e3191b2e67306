import type { Role } from "@turnpike/domain/access/scopes";
import { Checkbox } from "@turnpike/ui/checkbox";
import ChevronRight from "lucide-react/icons/chevron-right";
import { listScopeChoices } from "./key-scopes.ts";

export type ScopesFieldProps = {
  role: Role;
  value: readonly string[];
  /** What the key has already stays possible, also where the role could not give it. */
  granted?: readonly string[];
  error?: string | undefined;
  onChange: (scopes: readonly string[]) => void;
};

/** Which of the tenant's own matters a key may manage. Folded, because most keys only call the API. */
export function ScopesField({ role, value, granted = [], error, onChange }: ScopesFieldProps) {
  const toggle = (scope: string, isChosen: boolean) =>
    onChange(isChosen ? [...value, scope] : value.filter((one) => one !== scope));
  return (
    <details
      open={value.length > 0 || error !== undefined}
      className="group rounded-control border border-line"
    >
      <summary className="focus-inset flex cursor-pointer list-none items-start gap-2 rounded-control px-3 py-2.5 hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="mt-0.5 size-4 shrink-0 text-ink-faint transition-transform duration-150 group-open:rotate-90"
        />
        <span className="min-w-0">
          <span className="block font-medium">
            Management scopes{value.length > 0 && ` (${String(value.length)})`}
          </span>
          <span className="block text-ink-muted text-xs">
            None are needed to call the API. They let a program manage this tenant.
          </span>
        </span>
      </summary>
      <fieldset
        aria-label="Management scopes"
        className="grid gap-x-4 gap-y-3 px-3 pt-2 pb-3 sm:grid-cols-2"
      >
        {listScopeChoices(role).map(({ scope, text, isHeld }) => (
          <Checkbox
            key={scope}
            label={<code className="font-mono text-xs">{scope}</code>}
            help={isHeld ? text : `${text}. Your role does not have it.`}
            isChecked={value.includes(scope)}
            isDisabled={!isHeld && !granted.includes(scope)}
            onCheckedChange={(isChosen) => toggle(scope, isChosen)}
          />
        ))}
      </fieldset>
      <p role="alert" className="px-3 pb-3 text-danger text-xs empty:hidden">
        {error}
      </p>
    </details>
  );
}
