import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { FormErrors } from "@turnpike/ui/form-errors";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ComponentProps, ReactNode, SubmitEvent } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { RoleBoxes } from "./role-boxes.tsx";

type NoticeSettingsCardProps<Settings> = {
  title: string;
  description: string;
  settings: UseQueryResult<Settings>;
  mayChange: boolean;
  renderForm: (settings: Settings) => ReactNode;
  /** The settings in a sentence, for readers who may not change them. */
  describe: (settings: Settings) => string;
};

/** Notices that every tenant gets, and how they are set: a form for those who may change it, a sentence for others. */
export function NoticeSettingsCard<Settings>(props: NoticeSettingsCardProps<Settings>) {
  const { settings } = props;
  const { data } = settings;
  return (
    <Card title={props.title} description={props.description}>
      {data === undefined ? (
        settings.isError ? (
          <FailureNotice
            what={t`The settings could not be loaded.`}
            cause={settings.error}
            onRetry={() => void settings.refetch()}
          />
        ) : (
          <Skeleton className="h-28" />
        )
      ) : props.mayChange ? (
        props.renderForm(data)
      ) : (
        <p>{props.describe(data)}</p>
      )}
    </Card>
  );
}

type NoticeFormProps = Pick<ComponentProps<typeof FormErrors>, "title"> & {
  errors: ComponentProps<typeof FormErrors>["errors"];
  roles: ComponentProps<typeof RoleBoxes>["roles"];
  /** Names the people notified, and the webhook. */
  help: string;
  onRolesChange: ComponentProps<typeof RoleBoxes>["onChange"];
  isSaving: boolean;
  onSave: () => void;
  /** When it notifies. */
  children: ReactNode;
};

/** When notices are sent, and which roles get mail. */
export function NoticeForm(props: NoticeFormProps) {
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    props.onSave();
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <FormErrors title={props.title} errors={props.errors} />
      {props.children}
      <RoleBoxes roles={props.roles} help={props.help} onChange={props.onRolesChange} />
      <Button type="submit" progress={props.isSaving ? t`Saving…` : undefined}>
        <Trans>Save</Trans>
      </Button>
    </form>
  );
}

/** ", by e-mail to the roles owner, admin"; nothing for none. */
export function describeMail(roles: readonly string[]): string {
  return roles.length === 0 ? "" : t`, by e-mail to the roles ${roles.join(", ")}`;
}
