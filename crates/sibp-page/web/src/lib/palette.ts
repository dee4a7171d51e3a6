/** Gives labels and chains colours that people with any colour vision tell apart: Okabe and Ito's, darkened or lightened for the theme. */
import { isDark } from './theme';

const LIGHT = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#7a3e9d', '#4d4d4d', '#8c510a', '#a6a6a6'];
const DARK = ['#3d8fe0', '#ff8a3d', '#2bc59a', '#e79ac4', '#f0e442', '#b5e3ff', '#b98ae0', '#d0d0d0', '#d2a06a', '#8a8a8a'];

/** The colour of the `ix`-th label; they repeat after the tenth. */
export function categorical(ix: number): string {
  const list = isDark() ? DARK : LIGHT;
  return list[ix % list.length] as string;
}

/** Colours of a bit that is off and on. */
export function binary(): [string, string] {
  return isDark() ? ['#5a6475', '#ffb000'] : ['#b4bcc9', '#b3411a'];
}

export function ofKind(kind: string): string {
  const list = isDark() ? DARK : LIGHT;
  return (kind === 'given' ? list[1] : kind === 'learned' ? list[0] : list[2]) as string;
}
