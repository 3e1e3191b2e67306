import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { FailureNotice } from "#components/failure-notice.tsx";
import { SecretOnce } from "#components/secret-once.tsx";
import { RequestError } from "#platform/error-message.ts";
import { usePlatform, useSetupCode } from "#platform/platform.tsx";

/** Claims a fresh installation with the code in the address. Shown only when there is something to claim. */
export function ClaimCard() {
  const code = useSetupCode();
  const { api, credentials, setupLink } = usePlatform();
  const claim = useMutation({
    mutationFn: (setupCode: string) => api.setup.claim({ code: setupCode }),
    onSuccess: ({ serviceKey }) => {
      setupLink.clear();
      credentials.set(serviceKey.key);
    },
    onError: (cause) => {
      // A refused code is worth nothing any more; one that never arrived may be tried again, even after a reload.
      if (isRefusal(cause)) {
        setupLink.clear();
      }
    },
  });

  if (claim.isSuccess) {
    const { serviceKey } = claim.data;
    return (
      <Card isCall title="This instance is yours" description="Here is your service key.">
        <SecretOnce
          subject="Service key"
          secret={serviceKey.key}
          advice="Keep it in a password manager or your secret store. It may do everything an operator may; anyone who has it is you."
          onStored={claim.reset}
        />
      </Card>
    );
  }
  if (claim.isError && isRefusal(claim.error)) {
    return (
      <Card isCall title="This setup link does not work">
        <FailureNotice
          what="The instance was not claimed."
          cause={claim.error}
          wayOn="If you hold a service key already, enter it under Operator below. Otherwise the newest link is in the server's output at its first start."
        />
        <Button className="mt-3" onClick={claim.reset}>
          Dismiss
        </Button>
      </Card>
    );
  }
  if (code === undefined) {
    return null;
  }
  return (
    <Card
      isCall
      title="Claim this instance"
      description="You opened the setup link of a fresh installation. Claiming makes you its operator and gives you a service key. The link works once."
    >
      {claim.isError && (
        <div className="mb-3">
          <FailureNotice what="The instance was not claimed." cause={claim.error} />
        </div>
      )}
      <Button
        look="primary"
        progress={claim.isPending ? "Claiming…" : undefined}
        onClick={() => claim.mutate(code)}
      >
        Claim instance
      </Button>
    </Card>
  );
}

/** The server answered and said no, as opposed to not answering or failing itself. */
function isRefusal(cause: unknown): boolean {
  const status = cause instanceof RequestError ? cause.status : undefined;
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}
