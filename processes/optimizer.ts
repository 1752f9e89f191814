import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

/**
 * V8's interrupt budget: how much of a function runs before V8 looks whether to optimize it. Most of a start's code runs once, so a start raises it, which
 * takes a third off its CPU; what serves requests needs V8's own value. Nothing tells a process that value but `node --v8-options`, which the build asks and notes here.
 */
interface Noted {
  readonly v8: string;
  readonly interrupt_budget: number;
}

const FLAG = '--interrupt-budget';
const RAISED = 600_000;

let usual: number | undefined;

function readNoted(): Noted | undefined {
  try {
    return JSON.parse(readFileSync(new URL('./optimizer.json', import.meta.url), 'utf8')) as Noted;
  } catch {
    return undefined;
  }
}

/** Makes V8 optimize later, in all threads, until `optimizeAsUsual`. Does nothing under another V8 than the build's, or where the flag was given to Node. */
export function optimizeLater(): void {
  const noted = readNoted();
  if (noted?.v8 !== process.versions.v8) return;
  if (process.execArgv.some((argument) => argument.replaceAll('_', '-').startsWith(FLAG))) return;
  setFlagsFromString(`${FLAG}=${RAISED}`);
  usual = noted.interrupt_budget;
}

/** Gives V8 its own interrupt budget back, in all threads. */
export function optimizeAsUsual(): void {
  if (usual !== undefined) setFlagsFromString(`${FLAG}=${usual}`);
  usual = undefined;
}
