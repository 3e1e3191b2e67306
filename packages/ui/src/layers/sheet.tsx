import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import X from "lucide-react/icons/x";
import { type ReactNode, useRef } from "react";
import { joinClasses } from "../join-classes.tsx";
import { BACKDROP_CLASSES } from "../layer-styles.tsx";
import { CLOSE_CLASSES, findFirstField, LayerHeader } from "./dialog.tsx";

const SIDES = {
  right:
    "inset-y-0 right-0 w-[32rem] border-l data-starting-style:translate-x-8 data-ending-style:translate-x-8 max-md:inset-x-0 max-md:top-auto max-md:max-h-[92dvh] max-md:w-full max-md:rounded-t-card max-md:border-t max-md:border-l-0 max-md:data-starting-style:translate-x-0 max-md:data-starting-style:translate-y-8 max-md:data-ending-style:translate-x-0 max-md:data-ending-style:translate-y-8",
  left: "inset-y-0 left-0 w-72 border-r data-starting-style:-translate-x-8 data-ending-style:-translate-x-8",
} as const;

export type SheetProps = {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  /** `right` shows details beside a list and comes from below on phones; `left` is for navigation. */
  side?: keyof typeof SIDES;
  /** The title is only read out: what is inside says itself what it is. */
  isTitleHidden?: boolean;
  /** Stands below the content and does not scroll with it. */
  footer?: ReactNode;
  children: ReactNode;
};

/** A panel at the edge of the page. Focus stays inside and returns to where it came from. */
export function Sheet(props: SheetProps) {
  const content = useRef<HTMLDivElement>(null);
  const title = <BaseDialog.Title>{props.title}</BaseDialog.Title>;
  return (
    <BaseDialog.Root open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP_CLASSES} />
        <BaseDialog.Popup
          initialFocus={props.isTitleHidden === true ? true : () => findFirstField(content.current)}
          className={joinClasses(
            "fixed z-50 flex max-w-full flex-col border-line bg-surface text-ink text-sm shadow-float outline-none transition-[opacity,translate] duration-180 ease-out data-starting-style:opacity-0 data-ending-style:opacity-0",
            SIDES[props.side ?? "right"],
          )}
        >
          {props.isTitleHidden === true ? (
            <div className="sr-only">
              {title}
              <BaseDialog.Close>
                <Trans>Close</Trans>
              </BaseDialog.Close>
            </div>
          ) : (
            <LayerHeader
              title={title}
              description={
                props.description !== undefined && (
                  <BaseDialog.Description>{props.description}</BaseDialog.Description>
                )
              }
              close={
                <BaseDialog.Close aria-label={t`Close`} className={CLOSE_CLASSES}>
                  <X aria-hidden="true" />
                </BaseDialog.Close>
              }
            />
          )}
          <div
            ref={content}
            className={joinClasses(
              "relative min-h-0 grow overflow-y-auto overscroll-contain",
              props.isTitleHidden !== true && "px-5 pt-2 pb-6",
            )}
          >
            {props.children}
          </div>
          {props.footer !== undefined && (
            <footer
              data-layer-footer=""
              className="flex flex-wrap justify-end gap-2 border-line border-t px-5 py-3"
            >
              {props.footer}
            </footer>
          )}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}
