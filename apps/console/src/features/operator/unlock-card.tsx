import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { Field } from "@turnpike/ui/field";
import { type FormEvent, useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";

/** Asks for the operator's service key and tries it before it is kept. */
export function UnlockCard() {
  const { apiWith, credentials } = usePlatform();
  const [key, setKey] = useState("");
  const unlock = useMutation({
    mutationFn: (candidate: string) => apiWith(candidate).tenants.list({ limit: 1 }),
    onSuccess: (_page, candidate) => credentials.set(candidate),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    unlock.mutate(key.trim());
  }

  return (
    <Card
      title="Operator"
      description="Tenants, keys, usage and mails of this instance, with your service key."
    >
      <form onSubmit={submit} className="flex max-w-xl flex-col gap-3 sm:flex-row sm:items-start">
        <Field
          className="sm:grow"
          label="Service key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          isMono
          value={key}
          onChange={(event) => setKey(event.target.value)}
          help="Starts with tp_svc_. It stays in the memory of this page and is gone when you leave."
          error={unlock.isError ? toErrorMessage(unlock.error) : undefined}
        />
        <Button
          type="submit"
          look="primary"
          className="sm:mt-6.5"
          progress={unlock.isPending ? "Checking…" : undefined}
        >
          Use key
        </Button>
      </form>
    </Card>
  );
}
