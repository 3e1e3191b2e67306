import { useEffect, useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { hasPasskeys } from "./has-passkeys.ts";

export type PasskeyAutofill = {
  /** Why a passkey that the person picked did not sign them in. */
  problem: string | undefined;
  /** Another way is being tried: the browser offers no passkey until `resume`. */
  pause(): void;
  resume(): void;
};

/**
 * Offers passkeys in the suggestions of the field with `autocomplete="username webauthn"`, as long as the form is shown.
 *
 * @param isOn - False where no passkey signs anyone in.
 */
export function usePasskeyAutofill(isOn: boolean): PasskeyAutofill {
  const { session } = usePlatform();
  const [problem, setProblem] = useState<string>();
  const [isPaused, setPaused] = useState(false);
  // The outside system is the browser's list of suggestions.
  useEffect(() => {
    if (!isOn || isPaused || !hasPasskeys()) {
      return;
    }
    const leaving = new AbortController();
    import("./offer-passkeys.ts")
      .then(({ offerPasskeys }) =>
        offerPasskeys(session, leaving.signal, (error) => setProblem(toErrorMessage(error))),
      )
      // Without the code there is no offer; the button says what is wrong.
      .catch(() => undefined);
    return () => leaving.abort();
  }, [isOn, isPaused, session]);
  return {
    problem,
    pause: () => {
      setProblem(undefined);
      setPaused(true);
    },
    resume: () => setPaused(false),
  };
}
