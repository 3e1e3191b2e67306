import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Notice } from "../notice.tsx";
import { useProviders } from "../use-providers.ts";

/** Warns of accounts that anyone on this machine can make up, where the configuration names Firebase's emulator. */
export function EmulatorNotice() {
  const { firebase } = useProviders();
  if (firebase?.emulator === undefined) {
    return null;
  }
  return (
    <Notice tone="info" title={t`For development only`}>
      <Trans>
        Accounts are those of Firebase’s emulator at {firebase.emulator}. Use no real password.
      </Trans>
    </Notice>
  );
}
