/** Finds where the rows of one label begin and end. */

export interface Group {
  name: string;
  start: number;
  rows: number;
}

export function groups(order: number[], labels: number[], names: string[]): Group[] {
  const found: Group[] = [];
  let before: number | null = null;
  order.forEach((object, row) => {
    const label = labels[object] ?? -1;
    if (label !== before || !found.length) found.push({ name: names[label] ?? 'no label', start: row, rows: 0 });
    (found[found.length - 1] as Group).rows += 1;
    before = label;
  });
  return found;
}
