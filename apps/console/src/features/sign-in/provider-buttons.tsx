import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import type { IdentityProvider } from "#platform/client-config.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toSignInMessage } from "#platform/session/to-sign-in-problem.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { Notice } from "./notice.tsx";

/** One button for each external provider. */
export function ProviderButtons({ providers }: { providers: readonly IdentityProvider[] }) {
  const { session } = usePlatform();
  const leave = useMutation({
    mutationFn: async (providerId: string) => await session.startRedirect(providerId),
    retry: false,
  });
  const leaveOnce = useSubmitOnce(leave.mutateAsync, "settled");
  return (
    <div className="space-y-2">
      {leave.isError && (
        <Notice tone="danger" title="The provider cannot be opened right now">
          {toSignInMessage(leave.error)}
        </Notice>
      )}
      {providers.map(({ id, name }, index) => {
        const isLeaving = (leave.isPending || leave.isSuccess) && leave.variables === id;
        return (
          <Button
            key={id}
            look={index === 0 && providers.length === 1 ? "primary" : "secondary"}
            className="w-full"
            progress={isLeaving ? `Going to ${name}…` : undefined}
            onClick={() => leaveOnce(id)}
          >
            Continue with {name}
          </Button>
        );
      })}
    </div>
  );
}

/** Separates the ways to sign in. */
export function OrLine() {
  return (
    <div className="flex items-center gap-3 text-ink-faint text-xs">
      <span className="h-px grow bg-line" aria-hidden="true" />
      or
      <span className="h-px grow bg-line" aria-hidden="true" />
    </div>
  );
}
