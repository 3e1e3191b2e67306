import { t } from "@lingui/core/macro";
import { Card } from "@turnpike/ui/card";
import { SelectField } from "@turnpike/ui/select";
import { chooseOwnLanguage, NAMED_LANGUAGES } from "#platform/language-choice.ts";
import { usePlatform } from "#platform/platform.tsx";
import type { OwnAccount } from "./account.queries.ts";

const CHOICES = NAMED_LANGUAGES.map(({ tag, name }) => ({ value: tag, label: name }));

/** The language in which the person reads. Choosing another one opens the page in it. */
export function LanguageSection({ account }: { account: OwnAccount }) {
  const { api } = usePlatform();
  return (
    <Card title={t`Language`} description={t`Of the console in this browser, and of mails to you.`}>
      <SelectField
        label={t`Your language`}
        choices={CHOICES}
        value={account.language}
        placeholder={t`Not chosen`}
        onValueChange={(tag) => void chooseOwnLanguage(tag, { api, page: window })}
      />
    </Card>
  );
}
