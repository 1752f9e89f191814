import { randomUUID } from 'node:crypto';
import { isoOf, recordOf, textOf, type ExportFormat, type Row } from './format.js';

/** A control's id as a token of OSCAL: `AC-3(4)` is `ac-3.4`, and what begins with a digit gets a letter before it. */
export function controlToken(id: string): string {
  const text = id
    .toLowerCase()
    .replace(/\((\w+)\)/g, '.$1')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/-+$/, '');
  return /^[\p{L}_]/u.test(text) ? text : `c-${text}`;
}

const isAssessed = ({ status }: Row): boolean => status === 'PASS' || status === 'FAIL';
const selected = (controls: readonly Row[]) => controls.map((control) => ({ 'control-id': controlToken(String(control['control_id'])) }));

function observationOf(control: Row, collected: string): Record<string, unknown> {
  const attestation = recordOf(control['attestation']);
  const author = textOf(attestation['author']);
  const results = `Results of ${String(control['rule_count'])} rules: ${String(control['passed_results'])} passed, ${String(control['failed_results'])} failed, ${String(control['not_evaluated_results'])} could not be told.`;
  const said = author ? ` ${author} attested: ${String(attestation['evidence'])}` : '';
  return {
    uuid: randomUUID(),
    title: String(control['title']),
    description: results + said,
    methods: [author ? 'EXAMINE' : 'TEST'],
    types: ['finding'],
    collected: isoOf(attestation['created_at']) ?? collected,
  };
}

function findingOf(control: Row, observation: unknown): Record<string, unknown> {
  const id = String(control['control_id']);
  const state = control['status'] === 'PASS' ? 'satisfied' : 'not-satisfied';
  return {
    uuid: randomUUID(),
    title: `${id} ${String(control['title'])}`,
    description: `The control is ${state === 'satisfied' ? 'met' : 'not met'}.`,
    props: [{ name: 'label', value: id.trim() }],
    target: { type: 'objective-id', 'target-id': controlToken(id), status: { state } },
    'related-observations': [{ 'observation-uuid': observation }],
  };
}

/** OSCAL 1.1.2 assessment results (NIST) of a framework: a finding a control that was assessed, with what it rests on. */
export const oscal: ExportFormat = {
  name: 'oscal',
  label: 'OSCAL assessment results',
  media_type: 'application/oscal+json; charset=utf-8',
  extension: 'oscal.json',
  subjects: ['framework'],
  async *write({ id, madeAt, framework, rows }) {
    const controls: Row[] = [];
    for await (const batch of rows) controls.push(...batch);
    const facts = framework ?? {};
    const evaluated = isoOf(facts['last_evaluated']) ?? madeAt.toISOString();
    const assessed = controls.filter(isAssessed);
    const others = controls.filter((control) => !isAssessed(control));
    const observations = assessed.map((control) => observationOf(control, evaluated));
    const title = `${String(facts['framework_name'])} ${String(facts['version'])}`;
    const selection = {
      description: assessed.length === 0 ? 'No control was assessed.' : 'The controls that rules or attestations assessed.',
      // one of the two there must be: of all without any, nothing is left
      ...(assessed.length > 0 ? { 'include-controls': selected(assessed) } : { 'include-all': {} }),
      ...(others.length > 0 && { 'exclude-controls': selected(others) }),
    };
    const result = {
      uuid: randomUUID(),
      title,
      description: `Score ${String(facts['score'])}: ${String(facts['pass_count'])} controls pass and ${String(facts['fail_count'])} fail of ${String(facts['total_controls'])}.`,
      start: evaluated,
      end: evaluated,
      'reviewed-controls': { 'control-selections': [selection] },
      ...(assessed.length > 0 && { observations, findings: assessed.map((control, n) => findingOf(control, observations[n]!['uuid'])) }),
    };
    const metadata = {
      title: `Assessment results: ${title}`,
      'last-modified': madeAt.toISOString(),
      version: '1',
      'oscal-version': '1.1.2',
    };
    const document = { 'assessment-results': { uuid: id, metadata, 'import-ap': { href: '#' }, results: [result] } };
    yield `${JSON.stringify(document, null, 2)}\n`;
  },
};
