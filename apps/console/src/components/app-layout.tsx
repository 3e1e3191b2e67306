import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { usePlatform } from "#platform/platform.tsx";
import { verifiedUserQuery } from "#platform/verified-user.ts";
import { AppFrame } from "./app-frame/app-frame.tsx";
import { FirstTenant } from "./first-tenant.tsx";
import { FullScreenSpinner } from "./full-screen-spinner.tsx";
import { ScreenGate } from "./screen-gate.tsx";

/** The shared layout of the signed-in screens: they are shown once the service knows the person. */
export function AppLayout() {
  // Answered by the verification, which runs whenever a person appears.
  const { data } = useQuery({ ...verifiedUserQuery(usePlatform()), enabled: false });
  return data === undefined ? (
    <FullScreenSpinner />
  ) : (
    <AppFrame>
      <FirstTenant>
        <ScreenGate>
          <Outlet />
        </ScreenGate>
      </FirstTenant>
    </AppFrame>
  );
}
