import { Outlet } from "@tanstack/react-router";
import { ToastArea } from "./toast-area.tsx";

/** The page around every route: the route itself and the toasts. */
export function RootLayout() {
  return (
    <>
      <Outlet />
      <ToastArea />
    </>
  );
}
