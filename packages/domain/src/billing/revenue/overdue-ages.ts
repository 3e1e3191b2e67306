/** How long invoices are past their due date, in whole days; the last age is open. */
export const OVERDUE_AGES = [
  { fromDays: 0, toDays: 30 },
  { fromDays: 31, toDays: 60 },
  { fromDays: 61, toDays: 90 },
  { fromDays: 91, toDays: null },
] as const;
