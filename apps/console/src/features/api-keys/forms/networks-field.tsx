import { t } from "@lingui/core/macro";
import { TextArea } from "@turnpike/ui/text-area";

export type NetworksFieldProps = {
  value: string;
  error?: string | undefined;
  onChange: (text: string) => void;
};

/** The networks that calls may come from. People paste lists more often than they type, so it is one field. */
export function NetworksField({ value, error, onChange }: NetworksFieldProps) {
  return (
    <TextArea
      label={t`Addresses and ranges`}
      help={t`One per line, IPv4 or IPv6. Calls from elsewhere are denied. Leave empty to allow any address.`}
      placeholder={"192.0.2.0/24\n2001:db8::/32"}
      value={value}
      error={error}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      isMono
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
