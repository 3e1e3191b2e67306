import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useRef, useState, useSyncExternalStore } from "react";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import {
  type FieldProblems,
  type SignInField,
  toSignInFailure,
} from "./sign-in-form.view-model.ts";

export type FormValues = Record<SignInField | "tenantName", string>;

const noSubscription = () => () => undefined;

/**
 * Runs a form with uncontrolled fields, so that typed text survives both hydration and failures.
 *
 * @param input.findProblems - The errors that keep the form from being sent.
 * @param input.send - Rejects with the error of the server or the provider.
 */
export function useSignInForm(input: {
  findProblems: (values: FormValues) => FieldProblems;
  send: (values: FormValues) => Promise<void>;
}) {
  const formRef = useRef<HTMLFormElement>(null);
  const [problems, setProblems] = useState<FieldProblems>({});
  const { mutateAsync, error, isPending, isSuccess } = useMutation({
    mutationFn: input.send,
    retry: false,
    onError: (cause) => focusFirst(formRef.current, toSignInFailure(cause)?.fields ?? {}),
  });
  const submitOnce = useSubmitOnce(mutateAsync, "failed");
  const isReady = useSyncExternalStore(
    noSubscription,
    () => true,
    () => false,
  );
  const failure = toSignInFailure(error);
  const isRefusedHere = Object.keys(problems).length > 0;

  function onSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (isPending || isSuccess) {
      return;
    }
    const values = readValues(event.currentTarget);
    const found = input.findProblems(values);
    setProblems(found);
    if (Object.keys(found).length > 0) {
      focusFirst(event.currentTarget, found);
      return;
    }
    submitOnce(values);
  }

  return {
    /** Never sent as a GET: a password must not end up in an address. */
    formProps: { ref: formRef, method: "post", noValidate: true, onSubmit } as const,
    /** Shown at the fields: errors found here before sending, else the server's. */
    fields: isRefusedHere ? problems : (failure?.fields ?? {}),
    /** For the summary. */
    messages: isRefusedHere ? Object.values(problems) : (failure?.messages ?? []),
    isPending: isPending || isSuccess,
    isSuccess,
    /** Before the script has loaded, a click would leave the page without effect. */
    buttonType: isReady ? ("submit" as const) : ("button" as const),
  };
}

function readValues(form: HTMLFormElement): FormValues {
  const data = new FormData(form);
  const get = (name: keyof FormValues) => {
    const value = data.get(name);
    return typeof value === "string" ? value : "";
  };
  return {
    email: get("email").trim(),
    password: get("password"),
    name: get("name").trim(),
    tenantName: get("tenantName").trim(),
  };
}

function focusFirst(form: HTMLFormElement | null, fields: FieldProblems): void {
  const first = (["name", "email", "password"] as const).find((name) => fields[name] !== undefined);
  const control = first === undefined ? null : form?.elements.namedItem(first);
  if (control instanceof HTMLElement) {
    control.focus();
  }
}
