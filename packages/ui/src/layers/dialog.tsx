import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { t } from "@lingui/core/macro";
import X from "lucide-react/icons/x";
import { type ReactNode, type RefObject, useRef } from "react";
import { toButtonClasses } from "../button.tsx";
import { joinClasses } from "../join-classes.tsx";
import { BACKDROP_CLASSES } from "../layer-styles.tsx";
import { StakesContext, useStake, useStakes } from "../unsaved.tsx";

export type DialogProps = {
  isOpen: boolean;
  /** Asked for by Escape, a press outside, or the cross. */
  onClose: () => void;
  title: ReactNode;
  /** One line that says what this is for. */
  description?: ReactNode;
  children: ReactNode;
  /** What is focused first; otherwise the first field, or the cross. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** What is focused after it has closed; otherwise what was focused before. For where that is gone by then. */
  finalFocus?: RefObject<HTMLElement | null>;
  /** While something goes on that must not be lost, neither Escape, a press outside nor Back closes it: the buttons inside do. */
  isLocked?: boolean;
  size?: "medium" | "wide";
};

/**
 * A layer above the page that asks for one thing. Focus stays inside and returns to where it came from. Where a part inside
 * says that something is at stake (`useUnsaved`, `useStake`), it asks before that is thrown away, or stays.
 */
export function Dialog(props: DialogProps) {
  const content = useRef<HTMLDivElement>(null);
  const { stakes, worst, question } = useStakes();
  return (
    <BaseDialog.Root
      open={props.isOpen}
      disablePointerDismissal={props.isLocked === true}
      onOpenChange={(isOpen) => {
        if (!(isOpen || props.isLocked === true)) {
          stakes.leaveBy(props.onClose);
        }
      }}
    >
      <BaseDialog.Portal>
        {/* Also above a panel, which would else go on looking as if it could be used. */}
        <BaseDialog.Backdrop forceRender className={BACKDROP_CLASSES} />
        <BaseDialog.Viewport className="fixed inset-0 z-50 grid place-items-center overflow-y-auto p-4 max-sm:place-items-end max-sm:p-0">
          <BaseDialog.Popup
            initialFocus={props.initialFocus ?? (() => findFirstField(content.current))}
            {...(props.finalFocus !== undefined && { finalFocus: props.finalFocus })}
            className={joinClasses(
              "flex max-h-[calc(100dvh-2rem)] w-full flex-col rounded-card border border-line bg-surface text-ink text-sm shadow-float outline-none transition-[opacity,translate] duration-180 ease-out data-starting-style:translate-y-2 data-starting-style:opacity-0 data-ending-style:translate-y-2 data-ending-style:opacity-0 max-sm:rounded-b-none max-sm:border-x-0 max-sm:border-b-0",
              props.size === "wide" ? "sm:max-w-3xl" : "sm:max-w-lg",
            )}
          >
            <LayerHeader
              title={<BaseDialog.Title>{props.title}</BaseDialog.Title>}
              description={
                props.description !== undefined && (
                  <BaseDialog.Description>{props.description}</BaseDialog.Description>
                )
              }
              close={
                props.isLocked !== true && (
                  <BaseDialog.Close
                    aria-label={t`Close`}
                    disabled={worst === "sending" || worst === "secret"}
                    // Its place stays, so that the words beside it do not move.
                    className={joinClasses(CLOSE_CLASSES, worst === "secret" && "invisible")}
                  >
                    <X aria-hidden="true" />
                  </BaseDialog.Close>
                )
              }
            />
            {/* Positioned, so that what is only read out scrolls along and does not make the page behind taller. */}
            <div ref={content} className="relative min-h-0 overflow-y-auto px-5 pt-2 pb-5">
              {/* While the layer fades out nothing in it is at stake any more. */}
              <StakesContext value={props.isOpen ? stakes : undefined}>
                <Locked isLocked={props.isLocked === true} />
                {props.children}
              </StakesContext>
            </div>
            {question}
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** Stands inside of the layer whose page is not left meanwhile. */
function Locked({ isLocked }: { isLocked: boolean }) {
  useStake("sending", isLocked);
  return null;
}

/**
 * What is focused when a layer opens: its first field, and of a choice what is chosen, so that Space changes nothing; without
 * a field true, the library's own choice.
 */
export function findFirstField(content: HTMLElement | null): HTMLElement | true {
  const field = content?.querySelector<HTMLElement>("input, textarea, select, [role=combobox]");
  const chosen = field
    ?.closest("[role=radiogroup]")
    ?.querySelector<HTMLElement>("[role=radio][aria-checked=true]");
  return chosen ?? field ?? true;
}

/** The cross of a layer. */
export const CLOSE_CLASSES = joinClasses(toButtonClasses("quiet", "icon"), "-mt-1.5 -mr-2");

type LayerHeaderProps = { title: ReactNode; description: ReactNode; close: ReactNode };

/** Title, purpose and cross at the top of a layer. */
export function LayerHeader({ title, description, close }: LayerHeaderProps) {
  return (
    <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-2">
      <div className="min-w-0">
        <div className="font-semibold text-base [overflow-wrap:anywhere]">{title}</div>
        {description !== false && (
          <div className="mt-0.5 text-ink-muted [overflow-wrap:anywhere]">{description}</div>
        )}
      </div>
      {close}
    </header>
  );
}
