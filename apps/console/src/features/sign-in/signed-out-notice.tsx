import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useAuth } from "#platform/platform.tsx";
import { Notice } from "./notice.tsx";

/** Says where a person who has just signed out is signed out, and where not. */
export function SignedOutNotice({ signedOutAt }: { signedOutAt: string | undefined }) {
  const { staysSignedInAt } = useAuth();
  if (signedOutAt !== undefined) {
    return (
      <Notice tone="ok">
        <Trans>You are signed out, here and at {signedOutAt}.</Trans>
      </Notice>
    );
  }
  return staysSignedInAt === undefined ? null : (
    <Notice tone="info" title={t`You are signed out here`}>
      <Trans>
        {staysSignedInAt} still knows you on this device. On a shared one, sign out there as well.
      </Trans>
    </Notice>
  );
}
