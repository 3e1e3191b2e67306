import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ROLES, type Role } from "@turnpike/domain/access/scopes";
import { Checkbox } from "@turnpike/ui/checkbox";

export type RoleBoxesProps = {
  roles: readonly Role[];
  help?: string;
  onChange: (roles: readonly Role[]) => void;
};

const LABELS: Readonly<Record<Role, string>> = {
  owner: t`Owners`,
  admin: t`Admins`,
  developer: t`Developers`,
  billing: t`Billing`,
  viewer: t`Viewers`,
};

/** The roles whose members get mail. */
export function RoleBoxes({ roles, help, onChange }: RoleBoxesProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium text-sm">
        <Trans>E-mail to</Trans>
      </legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {ROLES.map((role) => (
          <Checkbox
            key={role}
            label={LABELS[role]}
            isChecked={roles.includes(role)}
            onCheckedChange={(isChecked) =>
              onChange(ROLES.filter((one) => (one === role ? isChecked : roles.includes(one))))
            }
          />
        ))}
      </div>
      {help !== undefined && <p className="mt-1.5 text-ink-muted text-xs">{help}</p>}
    </fieldset>
  );
}
