/** Chooses the ids that fit what was typed: the same first, then those that begin with it, then those that hold it. */

const SHOWN = 12;

export function matches(ids: string[], text: string): number[] {
  const wanted = text.trim().toLowerCase();
  const tiers: number[][] = [[], [], []];
  for (let object = 0; object < ids.length; object++) {
    const at = (ids[object] as string).toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    const tier = at > 0 ? 2 : (ids[object] as string).length === wanted.length ? 0 : 1;
    (tiers[tier] as number[]).push(object);
    // A list that is full of the best kinds cannot get better, except by the very id.
    if (tiers[1] && tiers[1].length >= SHOWN && wanted === '') break;
  }
  return tiers.flat().slice(0, SHOWN);
}
