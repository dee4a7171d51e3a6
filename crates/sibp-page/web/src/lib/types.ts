/** Names what the server answers; the other side of the contract is the crate's `api` module. */

export type Metric = 'plain' | 'weighted' | 'expected';
export type Show = 'images' | 'text' | 'numbers';
export type Choice = 'left' | 'right' | 'skip';

export interface Model {
  kind: string;
  bits: number;
  given: number;
  learned: number;
  unsupervised: number;
  chains: number;
  sweeps: number;
  objects: number;
  inputs: number;
}

export interface State {
  version: number;
  model: Model | null;
  objects: number;
  names: { inputs: string[] | null };
  labels: { names: string[] } | null;
  show: Show;
  judging: boolean;
  answers: number;
  learning: { stage: string; done: number; of: number } | null;
  warnings: string[];
  next: string[];
}

export interface Diagnostic {
  name: string;
  value: number | string | null;
  sentence: string;
  good: boolean;
}

export interface Trace {
  name: string;
  sweeps: number[];
  chains: (number | null)[][];
}

export interface Overview {
  version: number;
  agreement: { value: number; low: number; high: number; questions: number } | null;
  headline: string;
  diagnostics: Diagnostic[];
  traces: Trace[];
}

export interface Objects {
  n: number;
  ids: string[];
  labels: number[] | null;
}

export type BitKind = 'given' | 'learned' | 'unsupervised';

export interface Bit {
  bit: number;
  kind: BitKind;
  share: number;
  weight: number | null;
}

export interface Bits {
  version: number;
  bits: Bit[];
  order: number[];
  codes: string;
  bytes: number;
}

export interface BitDetail extends Bit {
  version: number;
  drivers: { input: string; correlation: number }[];
  surest: number[];
  just_not: number[];
  without: { agreement: number; agreement_with: number } | null;
}

export interface Neighbour {
  object: number;
  distance: number;
}

export interface Found {
  version: number;
  query: { object?: number; code?: string };
  neighbours: Neighbour[];
  seconds: number;
}

export interface ExplainedBit {
  bit: number;
  agrees: boolean;
  a: boolean | number;
  b: boolean | number;
  probabilities: [number, number] | null;
  weight: number | null;
  share: number;
  drivers: [string, number][];
  owners: number[];
}

export interface Explanation {
  version: number;
  distance: number;
  weighted: number | null;
  bits: ExplainedBit[];
}

export interface ObjectDetail {
  object: number;
  id: string;
  label: string | null;
  text: string | null;
  values: { name: string; value: number | null }[];
  image: boolean;
}

export interface Question {
  question: string;
  anchor: number;
  left: number;
  right: number;
  kind: string;
}

export interface Acknowledged {
  answers: number;
  next: Question[];
}

export interface Progress {
  answers: number;
  judges: { name: string; answers: number }[];
  control: { answers: number; agreement: number; low: number; high: number }[];
  more: { hundred: number; low: number; high: number; sentence: string } | null;
}
