import type { Control } from '../../catalog/frameworks.js';

/** What is said of a control. Only PASS and FAIL count for a score. */
export type ControlStatus = 'PASS' | 'FAIL' | 'NOT_ASSESSED' | 'MANUAL';

/** How many resources a rule passed and failed. */
export interface RuleTally {
  PASS: number;
  FAIL: number;
  NOT_APPLICABLE: number;
  NOT_EVALUATED: number;
}

/** A control that a person says is met or not. */
export interface Attested {
  status: 'met' | 'not_met';
}

/** What a score is made of: the part of a control that decides its status. */
export type ScoredControl = Pick<Control, 'control_id' | 'selectors' | 'manual'>;

/** What the rules of a selector said, added up; undefined when none of them was asked. */
export type TallyOf = (selector: string) => RuleTally | undefined;

/**
 * The status of a control (docs/compliance.md): FAIL when any of its rules fails on any resource; else PASS when any passes; else what a
 * valid attestation says; else MANUAL when nothing can assess it, NOT_ASSESSED when no resource was evaluated.
 */
export function controlStatus(control: ScoredControl, tallyOf: TallyOf, attested: Attested | undefined): ControlStatus {
  let passed = false;
  for (const selector of control.selectors) {
    const tally = tallyOf(selector);
    if (tally === undefined) continue;
    if (tally.FAIL > 0) return 'FAIL';
    passed ||= tally.PASS > 0;
  }
  if (passed) return 'PASS';
  if (attested !== undefined) return attested.status === 'met' ? 'PASS' : 'FAIL';
  return control.manual === undefined ? 'NOT_ASSESSED' : 'MANUAL';
}

/** A framework's score: passed / (passed + failed) in percent over assessed controls, one decimal; null when none is assessed. */
export function scoreOf(passed: number, failed: number): number | null {
  return passed + failed === 0 ? null : Math.round((1_000 * passed) / (passed + failed)) / 10;
}

/** Passed and failed controls with the score. */
export interface Score {
  score: number | null;
  passed: string[];
  failed: string[];
}

/** Scores a framework's controls. @param attested valid attestations by control */
export function scoreControls(controls: readonly ScoredControl[], tallyOf: TallyOf, attested: ReadonlyMap<string, Attested>): Score {
  const passed: string[] = [];
  const failed: string[] = [];
  for (const control of controls) {
    const status = controlStatus(control, tallyOf, attested.get(control.control_id));
    if (status === 'PASS') passed.push(control.control_id);
    else if (status === 'FAIL') failed.push(control.control_id);
  }
  return { score: scoreOf(passed.length, failed.length), passed, failed };
}
