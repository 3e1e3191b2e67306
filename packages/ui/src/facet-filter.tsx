import { t } from "@lingui/core/macro";
import ListFilter from "lucide-react/icons/list-filter";
import { cloneElement } from "react";
import { toButtonClasses } from "./button.tsx";
import { joinClasses } from "./join-classes.tsx";
import { createLateLayer } from "./late-layer.tsx";
import { isArrow, useLateTrigger } from "./late-trigger.tsx";
import type { FacetFilterProps } from "./layers/facet-filter.tsx";

const FACET_FILTER = createLateLayer(() => import("./layers/facet-filter.tsx"));

/** Names shown on the button before it only counts them. */
const NAMED_MAX = 2;

/** A filter by one property of a list: any number of values, found by typing. */
export function FacetFilter<Value extends string>(props: FacetFilterProps<Value>) {
  const { layer, ref, toWaiting } = useLateTrigger(FACET_FILTER, { isOpenKey: isArrow });
  // What the list does not know (from a shared address) still filters, so it is shown too.
  const names = props.value.map(
    (value) => props.choices.find((choice) => choice.value === value)?.label ?? value,
  );
  const shown = names.length > NAMED_MAX ? t`${names.length} selected` : names.join(", ");
  const trigger = (
    <button
      type="button"
      aria-label={
        shown === "" ? t`Filter by ${props.label}` : t`Filter by ${props.label}: ${shown}`
      }
      className={joinClasses(
        toButtonClasses("secondary"),
        "max-w-full",
        shown === "" && "border-dashed",
      )}
    >
      <ListFilter className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
      <span>{props.label}</span>
      {shown !== "" && (
        <span className="max-w-48 truncate rounded bg-selected px-1.5 py-0.5 text-ink text-xs">
          {shown}
        </span>
      )}
    </button>
  );
  return layer === undefined ? (
    toWaiting(cloneElement(trigger, { role: "combobox", "aria-haspopup": "dialog" }))
  ) : (
    <layer.FacetFilter {...props} trigger={trigger} triggerRef={ref} />
  );
}
