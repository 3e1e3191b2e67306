import { toErrorMessage } from "#platform/error-message.ts";
import { openReference } from "#platform/open-reference.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";

/** Opens the reference of the operator's API from a menu; a failure is a toast. */
export function useOpenReference(): () => void {
  const { api, config } = usePlatform();
  return () => {
    openReference(api, config).catch((error: unknown) => {
      toast.error(toErrorMessage(error));
    });
  };
}
