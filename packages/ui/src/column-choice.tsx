import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import Columns3 from "lucide-react/icons/columns-3";
import { Button } from "./button.tsx";
import type { Column } from "./column.tsx";
import { Menu, MenuCheckboxItem, MenuGroup } from "./menu.tsx";

export type ColumnChoiceProps<Row> = {
  columns: readonly Column<Row>[];
  hidden: ReadonlySet<string>;
  onHiddenChange: (hidden: ReadonlySet<string>) => void;
};

/** Which columns of a table are shown. On phones every one that has a place on the card is. */
export function ColumnChoice<Row>({ columns, hidden, onHiddenChange }: ColumnChoiceProps<Row>) {
  function show(id: string, isShown: boolean): void {
    const next = new Set(hidden);
    if (isShown) {
      next.delete(id);
    } else {
      next.add(id);
    }
    onHiddenChange(next);
  }

  return (
    <Menu
      trigger={
        <Button className="max-md:hidden">
          <Columns3 className="size-4 text-ink-faint" aria-hidden="true" />
          <Trans>Columns</Trans>
        </Button>
      }
    >
      <MenuGroup label={t`Columns shown`}>
        {columns
          .filter((column) => column.isOptional === true)
          .map((column) => (
            <MenuCheckboxItem
              key={column.id}
              isChecked={!hidden.has(column.id)}
              onCheckedChange={(isShown) => show(column.id, isShown)}
            >
              {column.header}
            </MenuCheckboxItem>
          ))}
      </MenuGroup>
    </Menu>
  );
}
