import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import type {
  Ask,
  BegunPasskey,
  BegunTotp,
  SetUpCalls,
} from "#components/second-factor/factor-calls.ts";
import { RecoveryCodes } from "#components/second-factor/recovery-codes.tsx";
import { type Begun, FinishSetUp } from "#components/second-factor/set-up-factor.tsx";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import type { Change } from "./factor-list.tsx";
import { FACTORS_KEY, type Factors, type Proof } from "./factors.queries.ts";
import { ProofForm } from "./proof-form.tsx";

const ACTIONS: Readonly<Record<Change["kind"], string>> = {
  add_passkey: t`Add a passkey`,
  add_totp: t`Set up an app`,
  remove_passkey: t`Remove the passkey`,
  remove_totp: t`Remove the app`,
  renew_codes: t`Make new codes`,
};

type Stage =
  | { kind: "proof" }
  | { kind: "set_up"; begun: Begun; proof: Proof }
  | { kind: "codes"; codes: readonly string[] };

export type ChangeFactorProps = {
  change: Change;
  factors: Factors;
  ask: Ask;
  onDone: () => void;
};

/** One change, from the proof to its end. */
export function ChangeFactor({ change, factors, ask, onDone }: ChangeFactorProps) {
  const { session } = usePlatform();
  const queries = useQueryClient();
  const [stage, setStage] = useState<Stage>({ kind: "proof" });

  async function finish(text: string): Promise<void> {
    toast.success(text);
    onDone();
    await queries.invalidateQueries({ queryKey: FACTORS_KEY });
  }

  async function begin(proof: Proof): Promise<void> {
    switch (change.kind) {
      case "add_totp": {
        const begun = (await ask("totp", { proof })) as BegunTotp;
        return setStage({ kind: "set_up", begun: { kind: "totp", ...begun }, proof });
      }
      case "add_passkey": {
        const begun = (await ask("passkeys", { proof })) as BegunPasskey;
        return setStage({ kind: "set_up", begun: { kind: "passkey", ...begun }, proof });
      }
      case "renew_codes": {
        const made = (await ask("recovery-codes", { proof })) as { recoveryCodes: string[] };
        return setStage({ kind: "codes", codes: made.recoveryCodes });
      }
      case "remove_totp":
        await ask("totp/remove", { proof });
        return await finish(t`The app was removed.`);
      case "remove_passkey":
        await ask("passkeys/remove", { proof, passkeyId: change.passkeyId });
        return await finish(t`The passkey was removed.`);
      default:
        return change satisfies never;
    }
  }

  /** What was given out before the first factor has ended, the tokens of this page included. */
  async function confirm(step: string, body: object): Promise<void> {
    const { isFirst } = (await ask(step, body)) as { isFirst: boolean };
    if (isFirst) {
      await session.renew();
    }
    await finish(
      isFirst
        ? t`Your second factor is set up. Everything else was signed out.`
        : t`Your second factor is set up.`,
    );
  }

  if (stage.kind === "codes") {
    return (
      <RecoveryCodes
        codes={stage.codes}
        onSaved={() => void finish(t`The new recovery codes are in force.`)}
      />
    );
  }
  if (stage.kind === "set_up") {
    const { proof } = stage;
    const calls: SetUpCalls = {
      beginTotp: async () => (await ask("totp", { proof })) as BegunTotp,
      confirmTotp: (code) => confirm("totp/confirm", { code }),
      beginPasskey: async () => (await ask("passkeys", { proof })) as BegunPasskey,
      confirmPasskey: (input) => confirm("passkeys/confirm", input),
    };
    return (
      <div className="flex max-w-md flex-col gap-3">
        <FinishSetUp begun={stage.begun} calls={calls} />
        <Button look="quiet" onClick={onDone}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    );
  }
  return (
    <>
      <h3 className="mb-3 font-medium">
        {ACTIONS[change.kind]}
        {change.kind === "remove_passkey" && ` “${change.name}”`}
      </h3>
      <ProofForm
        factors={factors}
        action={ACTIONS[change.kind]}
        isDangerous={change.kind === "remove_totp" || change.kind === "remove_passkey"}
        ask={ask}
        send={begin}
        onCancel={onDone}
      />
    </>
  );
}
