import { t } from "@lingui/core/macro";
import { SearchField } from "@turnpike/ui/search-field";
import { useState } from "react";
import { isRequestId } from "./request-id.ts";

/** Opens a call by the id of its request. */
export function RequestSearch({ onFind }: { onFind: (requestId: string) => void }) {
  const [text, setText] = useState("");
  const [isWrong, setIsWrong] = useState(false);
  return (
    <form
      className="w-full sm:w-96"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = text.trim();
        setIsWrong(!isRequestId(wanted));
        if (isRequestId(wanted)) {
          onFind(wanted);
        }
      }}
    >
      <SearchField
        label={t`Find a request by its id`}
        placeholder={t`Request id: req_…`}
        value={text}
        onValueChange={(next) => {
          setText(next);
          setIsWrong(false);
        }}
      />
      <p role="alert" className="text-danger text-xs empty:hidden">
        {isWrong && t`The id of a request is req_ and 32 digits, as in the header x-request-id.`}
      </p>
    </form>
  );
}
