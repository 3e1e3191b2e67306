import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import { DocsLink } from "#components/docs-link.tsx";
import { Page } from "#components/page.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useVerifiedUser } from "#platform/verified-user.ts";
import { type DeviceSignIn, personTokensKey } from "./device.queries.ts";
import { SignedInDevices } from "./signed-in-devices.tsx";

/** Where the person is: typing a code, deciding on what it is of, or done. */
type Stage =
  | { at: "code" }
  | { at: "decision"; userCode: string; device: DeviceSignIn }
  | { at: "done"; name: string; isAllowed: boolean };

/** `/device` */
export function DevicePage() {
  const [stage, setStage] = useState<Stage>({ at: "code" });
  return (
    <Page
      title={t`Sign in a command line`}
      purpose={t`Lets a command line on a machine of yours act as you, without a password on it.`}
    >
      <div className="max-w-2xl space-y-6">
        {stage.at === "code" && (
          <CodeForm
            onFound={(userCode, device) => setStage({ at: "decision", userCode, device })}
          />
        )}
        {stage.at === "decision" && (
          <Decision
            {...stage}
            onDone={(name, isAllowed) => setStage({ at: "done", name, isAllowed })}
          />
        )}
        {stage.at === "done" && <Done {...stage} onAgain={() => setStage({ at: "code" })} />}
        <SignedInDevices />
      </div>
    </Page>
  );
}

function CodeForm({ onFound }: { onFound: (userCode: string, device: DeviceSignIn) => void }) {
  const { api } = usePlatform();
  const [typed, setTyped] = useState("");
  const look = useMutation({
    mutationKey: ["device-sign-ins", "view"],
    mutationFn: (userCode: string) => api.deviceSignIns.view({ userCode }),
    onSuccess: (device, userCode) => onFound(userCode, device),
  });
  const lookOnce = useSubmitOnce(look.mutateAsync, "settled");
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (typed.trim() !== "") {
      lookOnce(typed);
    }
  }
  return (
    <Card
      title={t`Type the code`}
      description={t`It is shown by the command line, such as BCDF-GHJK.`}
    >
      <form onSubmit={submit} noValidate className="space-y-4">
        <TextField
          label={t`Code`}
          value={typed}
          isMono
          autoFocus
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={40}
          error={look.isError ? toErrorMessage(look.error) : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <p className="text-ink-muted">
          <Trans>
            Type only a code of a command line that you started yourself. Support never asks for
            one.
          </Trans>
        </p>
        <Button type="submit" look="primary" progress={look.isPending ? t`Looking…` : undefined}>
          <Trans>Continue</Trans>
        </Button>
      </form>
    </Card>
  );
}

type DecisionProps = {
  userCode: string;
  device: DeviceSignIn;
  onDone: (name: string, isAllowed: boolean) => void;
};

function Decision({ userCode, device, onDone }: DecisionProps) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const { user } = useVerifiedUser();
  const decide = useMutation({
    mutationKey: ["device-sign-ins", "decide"],
    mutationFn: (decision: "allow" | "deny") => api.deviceSignIns.decide({ userCode, decision }),
    onSuccess: async ({ name }, decision) => {
      onDone(name, decision === "allow");
      await client.invalidateQueries({ queryKey: personTokensKey });
    },
  });
  const decideOnce = useSubmitOnce(decide.mutateAsync, "failed");
  return (
    <Card title={t`Did you start this sign-in?`} isCall>
      <div className="space-y-4">
        <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[max-content_minmax(0,1fr)]">
          <dt className="text-ink-muted">
            <Trans>Calls itself</Trans>
          </dt>
          <dd className="[overflow-wrap:anywhere]">{device.name}</dd>
          <dt className="text-ink-muted">
            <Trans>Asked from</Trans>
          </dt>
          <dd className="[overflow-wrap:anywhere]">{device.address}</dd>
          <dt className="text-ink-muted">
            <Trans>Started</Trans>
          </dt>
          <dd>
            <RelativeTime at={device.createdAt} />
          </dd>
        </dl>
        <p>
          <Trans>
            It will act as {user.email ?? t`you`} for 90 days, with all of your rights
            {user.isOperator ? t`, those of an operator included` : ""}. If someone sent you the
            code, or you do not know this machine, deny it.
          </Trans>
        </p>
        <p role="alert" className="text-danger empty:hidden">
          {decide.isError ? toErrorMessage(decide.error) : undefined}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button
            look="primary"
            progress={decide.isPending && decide.variables === "allow" ? t`Allowing…` : undefined}
            onClick={() => decideOnce("allow")}
          >
            <Trans>Allow</Trans>
          </Button>
          <Button
            progress={decide.isPending && decide.variables === "deny" ? t`Denying…` : undefined}
            onClick={() => decideOnce("deny")}
          >
            <Trans>Deny</Trans>
          </Button>
        </div>
      </div>
    </Card>
  );
}

type DoneProps = { name: string; isAllowed: boolean; onAgain: () => void };

function Done({ name, isAllowed, onAgain }: DoneProps) {
  return (
    <Card title={isAllowed ? t`Signed in` : t`Denied`}>
      <div className="space-y-4">
        <p role="status" className="[overflow-wrap:anywhere]">
          {isAllowed
            ? t`${name} goes on by itself in a few seconds. You can close this page.`
            : t`${name} was refused. Nothing can act as you by this code.`}
        </p>
        <div className="flex flex-wrap items-center gap-4">
          <Button onClick={onAgain}>
            <Trans>Type another code</Trans>
          </Button>
          <DocsLink page="command-line">
            <Trans>What the command line does</Trans>
          </DocsLink>
        </div>
      </div>
    </Card>
  );
}
