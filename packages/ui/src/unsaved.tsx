import { t } from "@lingui/core/macro";
import {
  createContext,
  type ReactNode,
  type RefObject,
  use,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { type LeaveGuard, LeaveGuardContext } from "./leave-guard.tsx";

/** What leaving would lose, the gravest last. */
const STAKES = [
  /** A secret that was copied but perhaps not stored yet: its layer may be left, but who leaves the page is asked. */
  "copied",
  /** Something typed that is not saved: one is asked. */
  "typed",
  /** The answer to a request under way: it is waited for. */
  "sending",
  /** A secret that is shown once, or is just being made: it stays, and a person who leaves the page is asked. */
  "secret",
] as const;
export type Stake = (typeof STAKES)[number];

/** The button that says that what is at stake is kept. */
type WayOut = RefObject<HTMLElement | null>;

/** What is around a form, or a secret, that must not be left just like that. */
type Stakes = {
  /** Says what is at stake, and where the way out is; gives back what takes that away again. */
  add: (stake: Stake, wayOut?: WayOut) => () => void;
  /**
   * Does what leaves the layer by itself, as Escape does: not at all, or after a question, where something is at stake. Where
   * it stays because of a secret, the focus goes to the way out, so that the key is seen to do something.
   */
  leaveBy: (leave: () => void) => void;
};

export const StakesContext = createContext<Stakes | undefined>(undefined);

const QUESTIONS = {
  typed: {
    title: t`Discard your changes?`,
    description: t`They have not been saved.`,
    action: t`Discard`,
    cancel: t`Keep editing`,
  },
  secret: {
    title: t`Leave without saving the secret?`,
    description: t`It is shown only this once and cannot be recovered after you leave.`,
    action: t`Leave`,
    cancel: t`Stay`,
  },
} as const;

type Question = keyof typeof QUESTIONS;

/**
 * Keeps what the parts inside have at stake, for a layer or a part of a page.
 *
 * @returns `question` is to be rendered inside the layer, so that the focus may go to it; `worst` is undefined while
 *   nothing is at stake.
 */
export function useStakes(): { stakes: Stakes; worst: Stake | undefined; question: ReactNode } {
  const addLeaveGuard = use(LeaveGuardContext);
  const [worst, setWorst] = useState<Stake>();
  const [question, setQuestion] = useState<Question>("typed");
  const [isAsking, setIsAsking] = useState(false);
  const answer = useRef<(isAgreed: boolean) => void>(undefined);
  const settle = (isAgreed: boolean) => {
    answer.current?.(isAgreed);
    answer.current = undefined;
    setIsAsking(false);
  };
  // A layer that closes answers its open question: the caller would wait for it forever.
  useLayoutEffect(() => () => answer.current?.(true), []);

  const stakes = useMemo(() => {
    const held: { stake: Stake; wayOut: WayOut | undefined }[] = [];
    const readWorst = () => STAKES.findLast((stake) => held.some((one) => one.stake === stake));

    function ask(next: Question): Promise<boolean> {
      if (answer.current !== undefined) {
        return Promise.resolve(false);
      }
      setQuestion(next);
      setIsAsking(true);
      return new Promise((resolve) => {
        answer.current = resolve;
      });
    }

    const guard: LeaveGuard = {
      isHeld: () => held.length > 0,
      mayLeave: (by) => {
        const stake = readWorst();
        if (stake === undefined || stake === "sending") {
          // A form that was sent may lead elsewhere by itself.
          return stake === undefined || by === "link";
        }
        return ask(stake === "copied" ? "secret" : stake);
      },
    };
    let release: (() => void) | undefined;

    return {
      add: (stake: Stake, wayOut?: WayOut) => {
        const one = { stake, wayOut };
        held.push(one);
        release ??= addLeaveGuard?.(guard);
        setWorst(readWorst());
        return () => {
          held.splice(held.indexOf(one), 1);
          if (held.length === 0) {
            release?.();
            release = undefined;
          }
          setWorst(readWorst());
        };
      },
      leaveBy: (leave: () => void) => {
        const stake = readWorst();
        if (stake === undefined || stake === "copied") {
          leave();
        } else if (stake === "typed") {
          void ask(stake).then((isAgreed) => isAgreed && leave());
        } else if (stake === "secret") {
          held.findLast((one) => one.stake === stake)?.wayOut?.current?.focus();
        }
      },
    };
  }, [addLeaveGuard]);

  return {
    stakes,
    worst,
    question: (
      <ConfirmDialog
        {...QUESTIONS[question]}
        isOpen={isAsking}
        onClose={() => settle(false)}
        onConfirm={() => settle(true)}
      />
    ),
  };
}

/** Asks before a part of a page that is no layer is left while something in it is at stake. */
export function KeepPage({ children }: { children: ReactNode }) {
  const { stakes, question } = useStakes();
  return (
    <StakesContext value={stakes}>
      {children}
      {question}
    </StakesContext>
  );
}

/**
 * Tells what is around this part that something in it is at stake. Outside of a dialog or `KeepPage` it does nothing.
 *
 * @param wayOut - Takes the focus when Escape, the cross or a press outside does not close the layer because of a secret.
 */
export function useStake(stake: Stake, isAtStake: boolean, wayOut?: WayOut): void {
  const stakes = use(StakesContext);
  // The outside system is the dialog and the address, which the browser leaves and not a render.
  useLayoutEffect(
    () => (isAtStake ? stakes?.add(stake, wayOut) : undefined),
    [stakes, stake, isAtStake, wayOut],
  );
}

/**
 * Tells the dialog around a form that something was typed, so that it asks before Escape, a press outside, the cross,
 * Cancel, Back or a reload throws it away.
 */
export function useUnsaved(isUnsaved: boolean): void {
  useStake("typed", isUnsaved);
}

/** Makes what a Cancel button does of what leaves the form: it asks as the cross does. */
export function useCancel(leave: () => void): () => void {
  const stakes = use(StakesContext);
  return stakes === undefined ? leave : () => stakes.leaveBy(leave);
}
