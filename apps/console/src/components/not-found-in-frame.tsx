import { HOME_PATH } from "#platform/guard.ts";
import { AppFrame } from "./app-frame/app-frame.tsx";
import { NotFoundMessage } from "./not-found-page.tsx";

/** What the signed-in layout shows for an unknown path below it: its frame stays, and home is the overview. */
export function NotFoundInFrame() {
  return (
    <AppFrame>
      <div className="grid min-h-[70dvh] place-items-center px-4 py-12">
        <NotFoundMessage homeTo={HOME_PATH} />
      </div>
    </AppFrame>
  );
}
