import { Link } from "@tanstack/react-router";
import { usePlatform } from "#platform/platform.tsx";
import { useVerifiedUser } from "#platform/verified-user.ts";

/** Where an invitation's mail goes: to its address or, without a mail server, to the operator's outbox. */
export function MailWay() {
  const { config } = usePlatform();
  const { user } = useVerifiedUser();
  if (config.mail.delivers) {
    return <>The link in the e-mail works once, within a week, for an account with that address.</>;
  }
  return (
    <>
      No mail server is configured, so the e-mail is not delivered:{" "}
      {user.isOperator ? (
        <>
          you find it in the{" "}
          <Link
            to="/tenants"
            search={{ tab: "outbox" }}
            className="font-medium text-ink underline underline-offset-4"
          >
            outbox
          </Link>{" "}
          and can pass its link on.{" "}
        </>
      ) : (
        <>the operator finds it in the outbox and can pass its link on.</>
      )}
    </>
  );
}
