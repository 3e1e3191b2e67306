import { t } from "@lingui/core/macro";
import { FormField } from "@turnpike/ui/form-field";
import { CONTROL_CLASSES } from "@turnpike/ui/layer-styles";
import Eye from "lucide-react/icons/eye";
import EyeOff from "lucide-react/icons/eye-off";
import { type KeyboardEvent, type ReactNode, useState } from "react";

export type PasswordFieldProps = {
  label: string;
  /** In the form. Left out: `password`. */
  name?: string;
  autoComplete: "current-password" | "new-password";
  help?: ReactNode;
  error?: string | undefined;
  onValueChange?: (value: string) => void;
};

/** A password field, hidden until the person shows it, with a warning when Caps Lock is on. */
export function PasswordField(props: PasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  const [isCapsLock, setCapsLock] = useState(false);

  function lookAtCapsLock(event: KeyboardEvent): void {
    setCapsLock(event.getModifierState("CapsLock"));
  }

  const Icon = isShown ? EyeOff : Eye;
  return (
    <FormField label={props.label} error={props.error} help={props.help}>
      {(control) => (
        <>
          <div className="relative">
            <input
              {...control}
              name={props.name ?? "password"}
              type={isShown ? "text" : "password"}
              autoComplete={props.autoComplete}
              autoCapitalize="none"
              autoCorrect="off"
              spellCheck={false}
              maxLength={1024}
              required
              onChange={(event) => props.onValueChange?.(event.target.value)}
              onKeyDown={lookAtCapsLock}
              onKeyUp={lookAtCapsLock}
              onBlur={() => setCapsLock(false)}
              className={`${CONTROL_CLASSES} h-9 pr-11 pl-3 touch:h-11`}
            />
            <button
              type="button"
              aria-pressed={isShown}
              aria-label={t`Show password`}
              onClick={() => setShown(!isShown)}
              className="absolute inset-y-0 right-0 grid w-10 cursor-pointer place-items-center rounded-control text-ink-muted hover:text-ink touch:w-11"
            >
              <Icon className="size-4" aria-hidden="true" />
            </button>
          </div>
          <p role="status" className="mt-1 text-warning text-xs empty:hidden">
            {isCapsLock ? t`Caps Lock is on.` : ""}
          </p>
        </>
      )}
    </FormField>
  );
}
